// SPDX-License-Identifier: Apache-2.0
// What an upgrade has done to this node so far: by it a run that was killed goes on, and the last
// upgrade can be undone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "components/table.h"
#include "host/files.h"
#include "json/value.h"

namespace upgrade {

inline constexpr std::string_view kRecordFile = "/var/lib/slipway/upgrade.json";

// Record is kept in `file`. Directories are absolute paths below /etc/kubernetes/tmp.
struct Record {
  std::string command;  // "apply" or "node"
  std::string from;     // version of the cluster before, "v1.35.4"
  std::string to;
  bool complete = false;
  // Components whose manifest was replaced ("kube-apiserver"), with the directory of the one from
  // before the version: what an upgrade that is undone goes back to.
  std::map<std::string, std::string> manifests;
  // The same of this run and of those before it that were cut off, with what was there when they
  // began: what a run that fails goes back to. Another one where the upgrade was given again after
  // it had been complete.
  std::map<std::string, std::string> under_way = {};
  // SHA-256, in hexadecimal digits, of their manifests as they were when the upgrade was complete.
  std::map<std::string, std::string> written = {};
  // Those of them that have been seen to serve since.
  std::map<std::string, bool> serving;
  std::string restarting = {};  // the component whose container is restarted now; "": none
  std::string etcd_data;        // directory of a copy of etcd's data; "": none
  bool restoring_data = false;  // etcd is stopped, for that copy to be put back
  std::string kubelet_config;   // directory of the old config.yaml; "": none
  bool writes_kubelet = false;  // the runs under way have come to the kubelet's configuration
  std::string patches = {};     // directory of the copy of kube-proxy's patches; "": none
  // Where it is kept: other changes of a node than upgrades have a file of their own.
  std::string file{kRecordFile};
  bool operator==(const Record&) const = default;
};

// LoadRecord throws base::Error(kInvalid), naming the file, when it holds something else; nothing
// when there is no file.
std::optional<Record> LoadRecord(const host::Files& files, std::string_view file = kRecordFile);
void SaveRecord(host::Files& files, const Record& record);
void RemoveRecord(host::Files& files);

// NoteWritten notes what the replaced manifests are now; ChangedSince are the components whose
// manifest is another one by now. Of a record without such notes nothing is known.
void NoteWritten(const host::Files& files, Record& record);
std::vector<std::string> ChangedSince(const host::Files& files, const Record& record);

// KeptPod is the component's Pod as its manifest was before; nothing where it was not replaced, or
// the copy is gone.
std::optional<json::Value> KeptPod(const host::Files& files, const Record& record,
                                   components::Component component);

// LastUpgrade is the record of the upgrade to undo. Throws base::Error(kNotFound) when there is
// none, or a copy of what comes back is gone.
Record LastUpgrade(const host::Files& files);

// BeginRecord is the record to go on with: that of the last run of the same command when that went
// to the same version, whether it was cut off or not: an upgrade is undone to what was before the
// version. Where it was complete, this run has not done anything yet. Else it is `wanted`, a new
// one.
Record BeginRecord(const std::optional<Record>& last, const Record& wanted);

// IsReplacing tells whether the run was cut off after it had begun to replace or restart a static
// Pod and before it saw that serve.
bool IsReplacing(const Record& record);

// IsUnderWay tells whether a run that has replaced a manifest, or come to the kubelet's
// configuration, has not come to its end; WasCutOff, whether one of `upgrade apply` to that version
// ("v1.36.3") here was cut off so.
bool IsUnderWay(const Record& record);
bool WasCutOff(const host::Files& files, const std::string& version);

}  // namespace upgrade
