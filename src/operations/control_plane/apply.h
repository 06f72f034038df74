// SPDX-License-Identifier: Apache-2.0
// The upgrade of this node's static Pods to a new version, with backups, etcd's data and
// certificates; and the rollback.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "config/types.h"
#include "control_plane/pod_changes.h"
#include "control_plane/record.h"
#include "cri/runtime.h"
#include "etcd/client.h"
#include "host/host.h"

namespace control_plane {

// Selects the subject of a progress message.
enum class Area { kStaticPods, kEtcd };

// The inputs of an upgrade of a node's static Pods. References must outlive the upgrade.
struct UpgradedNode {
  host::Host& host;
  const config::Init& config;
  cri::Runtime& runtime;
  UpgradeRecord& record;
  // The start of this process.
  std::chrono::sys_seconds start;                 // new certificates are valid from this time
  std::chrono::milliseconds limit;                // for one component to become ready
  std::chrono::milliseconds etcd_limit{120'000};  // for etcd's members to answer
  Renews renews = Renews::kYes;  // whether Apply renews the certificates of replaced Pods
  std::stop_token stop = {};
  // Backs this node up before its first change. Returns the path of the backup; "" if no backup was
  // made. An empty function means that the caller wants no backup.
  std::function<std::string()> make_backup = {};
  // Creates a data directory for a single-member etcd from a backup. An empty function means that
  // this is impossible.
  std::function<void(const host::fs::path& backup, const host::fs::path& directory)> make_data = {};
  // Connects to the cluster's etcd; called before Apply replaces this node's member.
  std::function<std::unique_ptr<etcd::Client>()> connect_etcd = {};
  // Receives a whole sentence about each action.
  std::function<void(Area area, const std::string& line)> say = [](Area, const std::string&) {};
};

// Returns whether any change is needed.
bool Changes(std::span<const PodChange> changes);

// Backs the node up, unless an interrupted run has done so. Then calls ApplyChanges, and throws its
// errors. Throws kUnavailable, before any change, if etcd would lose its majority.
void Apply(std::span<const PodChange> changes, const UpgradedNode& node);

// Selects whether a rollback keeps etcd's data or restores the data from before the upgrade.
enum class Data { kLeave, kRestore };

// Rolls back the static Pods like PutBack (pod_changes.h), including etcd's Pod. With
// Data::kRestore, also restores etcd's data from the record's backup, unless an interrupted
// rollback has already restored the data. Throws kUnavailable, before any change, if etcd serves
// and would lose its majority. Throws kNotFound if etcd was stopped to restore its data, and the
// backup is missing.
void Undo(const UpgradedNode& node, Data data = Data::kLeave);

// Returns whether an upgrade must call RenewAdministrators. `upgrade apply` always must. `upgrade
// node` must if the control plane is changed, by this run or by an interrupted run before it.
bool HasToRenewAdministrators(const UpgradeRecord& record, std::span<const PodChange> changes);

// Renews the certificates of admin.conf and super-admin.conf, because no daemon renews them.
void RenewAdministrators(const UpgradedNode& node);

}  // namespace control_plane
