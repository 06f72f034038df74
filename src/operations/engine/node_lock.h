// SPDX-License-Identifier: Apache-2.0
// The lock of a node: only one command at a time may change the node.
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
  // The command, "kubeadm init". Other commands that wait for the lock show it to their users.
  std::string command;
  base::Duration timeout;  // of the wait for the lock
  // Directories, besides root's, that the command may write to.
  std::vector<host::fs::path> directories;
  base::ShowLine say;    // called once for a long wait; may be empty
  std::stop_token stop;  // of the user's interrupt
};

// The locks of one command, held for the object's lifetime. The kernel releases them when the
// process dies.
using NodeLock = std::vector<host::FileLock>;

// Waits until no other command changes this node, and locks the node. Locks /run/slipway/node.lock
// below the root directory of the process; if /run is read-only, root locks a file in
// /etc/kubernetes instead. Then locks those directories of the request that are links or do not
// belong to root. These locks exclude commands of users who may not create the lock file; such a
// command locks all directories of the request. Throws base::Error(kTimeout), with the holder's
// command, process and start time, when the timeout has passed. Throws kUsage for a negative
// timeout, and base::Interrupted for an interrupt.
//
// An earlier holder may have been killed between writing a key and moving its certificate into
// place. Therefore the new holder first completes such pairs (certs::FinishPairs), in the default
// directory and in the directory of the API server's manifest. Otherwise etcd would accept no
// client, because it reads its certificate and key for each connection.
NodeLock LockNode(host::Host& host, const NodeLockRequest& request);

}  // namespace engine
