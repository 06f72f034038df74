// SPDX-License-Identifier: Apache-2.0
// Removes this node's member from the etcd cluster.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/show_line.h"
#include "etcd/membership.h"
#include "etcd/waiting.h"
#include "etcd_membership/local_etcd.h"
#include "kube/client.h"

namespace etcd_membership {

// The leaving member, and the sources of endpoints. References must outlive it.
struct Leaving {
  const host::Files& files;
  LocalEtcd local;
  // The directory with etcd's CA and the client pairs. Used if `local` names no directory.
  fs::path certificates_dir;
  // A client of the cluster, whose etcd Pods name the members. Null without an API server.
  kube::Client* cluster;
  etcd::Waiting waiting;
  std::stop_token stop;
  // Removes the member whatever the state of the other members.
  bool forced = false;
};

// Callbacks for progress.
struct LeaveNotes {
  base::ShowLine warn;
  std::function<void(const std::string& why)> waiting;  // each reason once
};

// Removes this node's member through any endpoint of the cluster. The endpoints come from etcd's
// Pods. Without an API server they come from this member's list of members, or from its manifest.
// Throws base::Error(kConflict) if the cluster would lose its quorum, or if no member answers and
// the manifest names other members. Throws base::Interrupted after a stop request. Throws the error
// of the removal.
etcd::Removal Leave(const Leaving& leaving, const LeaveNotes& notes);

}  // namespace etcd_membership
