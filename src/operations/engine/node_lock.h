// SPDX-License-Identifier: Apache-2.0
// One lock for each node: commands that change it exclude each other.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/show_line.h"
#include "host/file_lock.h"
#include "host/host.h"

namespace engine {

// The flag for the timeout of the lock; messages name it.
inline constexpr const char* kLockTimeoutFlag = "lock-timeout";

// The lock request of one command.
struct NodeLockRequest {
  std::string command;     // "kubeadm init": shown to others while it holds the lock
  base::Duration timeout;  // the timeout
  std::vector<host::fs::path> directories;  // directories it may write to besides root's files
  base::ShowLine say;                       // called once for a long wait; may be empty
  std::stop_token stop;                     // of the user's interrupt
};

// Held for the object's lifetime; released when the process dies.
using NodeLock = std::vector<host::FileLock>;

// Waits until no other command changes this node, and locks the node. Locks /run/slipway/node.lock
// below the root directory of the process; if /run is read-only, root locks a file in
// /etc/kubernetes instead. Then locks those directories of the request that are links or do not
// belong to root. This excludes users without rights to the node. A user who may create neither
// file locks all directories of the request. Throws base::Error(kTimeout), with the holder's
// command, process and start time, when the timeout has passed. Throws kUsage for a negative
// timeout, and base::Interrupted for an interrupt.
//
// An earlier holder may have been killed between writing a key and moving its certificate into
// place. Therefore the new holder first completes such pairs (certs::FinishPairs), in the default
// directory and in the directory of the API server's manifest. Otherwise etcd would accept no
// client, because it reads its certificate and key for each connection.
NodeLock LockNode(host::Host& host, const NodeLockRequest& request);

}  // namespace engine
