// SPDX-License-Identifier: Apache-2.0
// The record of an upgrade's changes to this node. It is needed to resume an interrupted run, and
// to roll back the last upgrade.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/table.h"
#include "host/files.h"
#include "json/fields.h"
#include "json/value.h"

namespace control_plane {

inline constexpr std::string_view kRecordFile = "/var/lib/slipway/upgrade.json";

// The changes that an upgrade has made to this node. Directories are absolute paths below
// /etc/kubernetes/tmp.
struct UpgradeRecord {
  std::string command;  // "apply" or "node"
  std::string from;     // version of the cluster before the upgrade, "v1.35.4"
  std::string to;
  bool complete = false;
  // The replaced components ("kube-apiserver"). The value is the directory with the manifest from
  // before the upgrade, which a rollback restores.
  std::map<std::string, std::string> manifests;
  // The components that this run, and the interrupted runs that it resumes, have replaced. The
  // value is the directory with the manifest from before these runs. A failed run restores this
  // manifest. The value differs from `manifests` if a completed upgrade was repeated.
  std::map<std::string, std::string> under_way = {};
  // SHA-256 hashes, in hexadecimal, of the replaced components' manifests when the upgrade was
  // completed.
  std::map<std::string, std::string> written = {};
  // Replaced components, and whether each has served since its replacement.
  std::map<std::string, bool> serving;
  std::string restarting = {};  // the component whose container is being restarted; "": none
  std::string backup = {};      // path of the backup from before the upgrade; "": none
  // The backup that this run, or an interrupted run that it resumes, has made. A failed run
  // restores etcd's data from it.
  std::string backup_under_way = {};
  bool restoring_data = false;  // etcd is stopped to restore the data of `backup_under_way`
  // The data of `backup_under_way` were restored, and etcd was not upgraded since.
  bool data_restored = false;
  std::string kubelet_config;  // directory of the old config.yaml; "": none
  // This run, or a run that it resumes, has reached the kubelet's configuration.
  bool writes_kubelet = false;
  std::string patches = {};  // directory of the copy of kube-proxy's patches; "": none
  bool operator==(const UpgradeRecord&) const = default;
  static std::span<const json::Field> Fields();
};

// Loads the record; std::nullopt if the file does not exist. Throws base::Error(kInvalid), naming
// the file, if its content is malformed.
std::optional<UpgradeRecord> LoadRecord(const host::Files& files);
void SaveRecord(host::Files& files, const UpgradeRecord& record);
void RemoveRecord(host::Files& files);

// NoteWritten records the hashes of the replaced manifests. ChangedSince returns the components
// whose manifests have changed since then; it returns an empty list for a record without hashes.
void NoteWritten(const host::Files& files, UpgradeRecord& record);
std::vector<std::string> ChangedSince(const host::Files& files, const UpgradeRecord& record);

// Returns the Pod in the component's old manifest. Returns std::nullopt if the component was not
// replaced, or if the copy of its manifest is missing.
std::optional<json::Value> KeptPod(const host::Files& files, const UpgradeRecord& record,
                                   components::Component component);

// Returns the record of the upgrade to roll back. Throws base::Error(kNotFound) if no upgrade is
// recorded, or if a copy to restore is missing.
UpgradeRecord LastUpgrade(const host::Files& files);

// Returns the record for this run. If the last run was the same command to the same version,
// interrupted or complete, returns its record: a rollback then restores the state from before that
// version. If the last run was complete, `under_way` of the result is empty. If the last run was
// another command or version, returns `wanted`, a new record.
UpgradeRecord BeginRecord(const std::optional<UpgradeRecord>& last, const UpgradeRecord& wanted);

// Returns whether the run was interrupted while it replaced or restarted a static Pod, before the
// Pod served again.
bool IsReplacing(const UpgradeRecord& record);

// IsUnderWay returns whether the run is incomplete and has replaced a manifest, or has reached the
// kubelet's configuration. WasCutOff returns whether such a run of `upgrade apply` to that version
// ("v1.36.3") was interrupted on this node.
bool IsUnderWay(const UpgradeRecord& record);
bool WasCutOff(const host::Files& files, const std::string& version);

}  // namespace control_plane
