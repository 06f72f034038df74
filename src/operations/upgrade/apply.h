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
#include "cri/runtime.h"
#include "etcd/client.h"
#include "host/host.h"
#include "upgrade/control_plane.h"
#include "upgrade/record.h"

namespace upgrade {

// The subject of a line of progress.
enum class Area { kStaticPods, kEtcd };

// The inputs of an upgrade of a node's static Pods. References must outlive the upgrade.
struct UpgradedNode {
  host::Host& host;
  const config::Init& config;
  cri::Runtime& runtime;
  UpgradeRecord& record;
  std::chrono::sys_seconds start;                 // of the process: start of certificates' periods
  std::chrono::milliseconds limit;                // for one component to serve again
  std::chrono::milliseconds etcd_limit{120'000};  // for etcd's members to answer
  Renews renews = Renews::kYes;                   // the certificates of replaced Pods
  std::stop_token stop = {};
  // Backs this node up before its first change. Returns the path of the backup; "" if no backup was
  // made. An empty function means that the caller wants no backup.
  std::function<std::string()> make_backup = {};
  // Makes a new data directory of etcd, an only member, from a backup; empty if it is impossible.
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

// The extent of a rollback: etcd's data stay, or the data from before the upgrade are restored.
enum class Data { kLeave, kRestore };

// Rolls back like PutBack, including etcd's Pod. With Data::kRestore, restores etcd's data from the
// record's backup, unless an interrupted rollback has already restored them. Throws kUnavailable,
// before any change, if etcd serves and would lose its majority.
void Undo(const UpgradedNode& node, Data data = Data::kLeave);

// Returns whether an upgrade must call RenewAdministrators. `upgrade apply` always must. `upgrade
// node` must if it, or an interrupted run before it, changes the control plane.
bool HasToRenewAdministrators(const UpgradeRecord& record, std::span<const PodChange> changes);

// Renews the certificates of admin.conf and super-admin.conf, because no daemon renews them.
void RenewAdministrators(const UpgradedNode& node);

}  // namespace upgrade
