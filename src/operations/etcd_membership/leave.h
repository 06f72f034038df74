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
  fs::path certificates_dir;  // of etcd's CA and its clients' pairs, if `local` has none
  kube::Client* cluster;      // whose Pods name the members; null: no API server
  etcd::Waiting waiting;
  std::stop_token stop;
  bool forced = false;  // remove it whatever the state of the others
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
