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

// The files of such an etcd. References must outlive the call.
struct ThrowawayEtcd {
  host::Host& host;
  EtcdTools& tools;
  host::fs::path directory;  // for its data and sockets; of root alone
  host::fs::path snapshot;   // as `etcdctl snapshot save` makes it
};

// Data of etcd to serve for a moment. References must outlive the call.
struct ServedData {
  host::Host& host;
  EtcdTools& tools;
  host::fs::path data;             // changed by the etcd
  host::fs::path sockets;          // a directory of root alone
  std::string name = "throwaway";  // of the member
  bool as_only_member = false;     // forget the other members (--force-new-cluster)
};

// The etcd of ServedData, while it serves.
struct ServingEtcd {
  std::string socket;     // of its clients
  etcd::KeyCount counts;  // of its data
};

// Starts an etcd on the data, which listens only on Unix sockets. Calls `use` when the etcd serves,
// and then stops it. Throws base::Error with etcd's output: kOther if etcd refuses the data,
// kTimeout if it does not serve within five minutes. Throws base::Interrupted after a stop request,
// and the errors of `use`.
void ServeData(const ServedData& served, const std::stop_token& stop,
               const std::function<void(const ServingEtcd& etcd)>& use);

// Restores the snapshot below the directory, and starts an etcd on the restored data, which listens
// only on Unix sockets. Returns the number of keys, and stops the etcd. Throws base::Error with
// etcd's output: kOther if etcd refuses the snapshot, kTimeout if it does not serve. Throws
// base::Interrupted after a stop request.
etcd::KeyCount CountKeysOf(const ThrowawayEtcd& etcd, const std::stop_token& stop);

}  // namespace backup
