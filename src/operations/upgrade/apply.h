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
struct Node {
  host::Host& host;
  const config::Init& config;
  cri::Runtime& runtime;
  Record& record;
  std::chrono::sys_seconds start;                 // of the process: start of certificates' periods
  std::chrono::milliseconds limit;                // for one component to serve again
  std::chrono::milliseconds etcd_limit{120'000};  // for etcd's members to answer
  Renews renews = Renews::kYes;                   // the certificates of replaced Pods
  bool copies_etcd = false;                       // back up etcd's data even if etcd stays
  std::stop_token stop = {};
  // Connects to the cluster's etcd; called before Apply replaces this node's member.
  std::function<std::unique_ptr<etcd::Client>()> connect_etcd = {};
  // Receives a whole sentence about each action.
  std::function<void(Area area, const std::string& line)> say = [](Area, const std::string&) {};
};

// Returns whether any change is needed.
bool Changes(std::span<const PodChange> changes);

// Copies etcd's data if etcd is replaced, or if the node requires it and this upgrade has no copy
// yet. Then acts as ApplyChanges. Throws base::Error like that, and kUnavailable before any change
// if etcd would lose its majority.
void Apply(std::span<const PodChange> changes, const Node& node);

// Acts as PutBack, including etcd's Pod. Throws kUnavailable before any change if etcd serves and
// would lose its majority.
void Undo(const Node& node);

// Returns whether an upgrade must call RenewAdministrators: `apply` always, `node` if it or an
// interrupted run before it changes the control plane.
bool HasToRenewAdministrators(const Record& record, std::span<const PodChange> changes);

// Renews the certificates of admin.conf and super-admin.conf: administrators have no daemon that
// renews theirs.
void RenewAdministrators(const Node& node);

}  // namespace upgrade
