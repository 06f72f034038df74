// SPDX-License-Identifier: Apache-2.0
// The change of this node's static Pods to a new version, with all that belongs to it: backups,
// etcd's data, certificates; and the way back.
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

// Area is what a line of progress is about.
enum class Area { kStaticPods, kEtcd };

// Node is what an upgrade of its static Pods needs. References outlive the upgrade.
struct Node {
  host::Host& host;
  const config::Init& config;
  cri::Runtime& runtime;
  Record& record;
  std::chrono::sys_seconds start;   // of the process: certificates' periods count from it
  std::chrono::milliseconds limit;  // for one component to serve again
  std::chrono::milliseconds etcd_limit{120'000};  // for etcd's members to answer
  Renews renews = Renews::kYes;                   // the certificates of what is changed
  bool copies_etcd = false;                       // etcd's data even where etcd stays as it is
  std::stop_token stop = {};
  // Connects to the cluster's etcd; called when Apply is to replace this node's member.
  std::function<std::unique_ptr<etcd::Client>()> connect_etcd = {};
  // Gets a whole sentence at each thing that is done.
  std::function<void(Area area, const std::string& line)> say = [](Area, const std::string&) {};
};

// Changes tells whether anything is to be done.
bool Changes(std::span<const PodChange> changes);

// Apply copies etcd's data where etcd is replaced, or the node says so and this upgrade has no copy
// yet, then does as ApplyChanges. Throws base::Error
// like that, and kUnavailable before anything is changed when etcd would lose its majority.
void Apply(std::span<const PodChange> changes, const Node& node);

// Undo does as PutBack, etcd's Pod included. Throws kUnavailable before anything is changed when
// etcd serves and would lose its majority.
void Undo(const Node& node);

// HasToRenewAdministrators tells whether an upgrade comes to RenewAdministrators: `apply` always,
// `node` where it changes the control plane, or one before it that was cut off has.
bool HasToRenewAdministrators(const Record& record, std::span<const PodChange> changes);

// RenewAdministrators renews the certificates of admin.conf and super-admin.conf: administrators
// have no daemon that would keep theirs fresh.
void RenewAdministrators(const Node& node);

}  // namespace upgrade
