// SPDX-License-Identifier: Apache-2.0
// Taking this node's member out of the etcd cluster.
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

// Leaving says who leaves, and whom to ask. What it refers to must outlive it.
struct Leaving {
  const host::Files& files;
  LocalEtcd local;
  fs::path certificates_dir;  // of etcd's CA and its clients' pairs, where `local` names none
  kube::Client* cluster;      // whose Pods name the members; null: nobody to ask
  etcd::Waiting waiting;
  std::stop_token stop;
  bool forced = false;  // the node's etcd goes whatever becomes of the others
};

// LeaveNotes hear what happens on the way.
struct LeaveNotes {
  base::ShowLine warn;
  std::function<void(const std::string& why)> waiting;  // each reason once
};

// Leave removes the member at any endpoint of the whole cluster: as its Pods tell, or, without an
// API server, as this node's own member remembers, or one that its manifest names. Throws
// base::Error: kConflict where the cluster would lose its quorum, or where nobody can tell and the
// manifest names others; kCancelled when stopped; else why the member could not be removed.
etcd::Removal Leave(const Leaving& leaving, const LeaveNotes& notes);

}  // namespace etcd_membership
