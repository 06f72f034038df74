// SPDX-License-Identifier: Apache-2.0
// An etcd that only this process reaches, on a restored snapshot or on a copy of a member's data.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "backup/etcd_tools.h"
#include "etcd/key_count.h"
#include "host/host.h"

namespace backup {

// The inputs of CountKeysOf. References must outlive the call.
struct ThrowawayEtcd {
  host::Host& host;
  EtcdTools& tools;
  host::fs::path directory;  // for data and sockets; only root may access it
  host::fs::path snapshot;   // in the format of `etcdctl snapshot save`
};

// The inputs of ServeData. References must outlive the call.
struct ServedData {
  host::Host& host;
  EtcdTools& tools;
  host::fs::path data;             // changed by the etcd
  host::fs::path sockets;          // only root may access this directory
  std::string name = "throwaway";  // of the member
  bool as_only_member = false;     // whether to remove the other members (--force-new-cluster)
};

// The etcd of ServedData, while it serves.
struct ServingEtcd {
  std::string socket;     // of its clients
  etcd::KeyCount counts;  // of its data
};

// Starts an etcd on the data. The etcd listens only on Unix sockets. Calls `use` when the etcd
// serves, and then stops the etcd. Throws base::Error with etcd's output: kOther if etcd refuses
// the data, kTimeout if it does not serve within five minutes. Throws base::Interrupted after a
// stop request, and the errors of `use`.
void ServeData(const ServedData& served, const std::stop_token& stop,
               const std::function<void(const ServingEtcd& etcd)>& use);

// Restores the snapshot below the directory, and starts an etcd on the restored data. The etcd
// listens only on Unix sockets. Counts its keys, stops the etcd, and returns the number of keys.
// Throws base::Error with etcd's output: kOther if etcd refuses the snapshot, kTimeout if it does
// not serve. Throws base::Interrupted after a stop request.
etcd::KeyCount CountKeysOf(const ThrowawayEtcd& etcd, const std::stop_token& stop);

}  // namespace backup
