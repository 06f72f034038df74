// SPDX-License-Identifier: Apache-2.0
// One lock for each node: whatever changes it waits for what is changing it.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/show_line.h"
#include "host/file_lock.h"
#include "host/host.h"

namespace node_lock {

// The flag by which a user says how long to wait; messages name it.
inline constexpr const char* kTimeoutFlag = "lock-timeout";

// Request is what one command asks for.
struct Request {
  std::string command;     // "kubeadm init": what the others read while it has the lock
  base::Duration timeout;  // how long to wait for the others
  std::vector<host::fs::path> directories;  // what it may write besides files that are root's
  base::ShowLine say;                       // hears, once, that it waits for long; may be empty
  std::stop_token stop;                     // of the user's interrupt
};

// NodeLock is held as long as it lives; a process that dies lets go of it.
using NodeLock = std::vector<host::FileLock>;

// Lock waits until no other command changes this node: it locks /run/slipway/node.lock below the
// root directory of the process, or for root, where /run is read-only, a file in /etc/kubernetes;
// and then those of the request's directories that are not root's, in which users without rights to
// the node take turns. A user who can make neither file locks the directories of the request.
// Throws base::Error(kTimeout) naming the holder's command, process and begin when the time is
// over, kUsage when it is negative, kCancelled for an interrupt.
//
// Who has the node's lock first finishes the certificates that a holder which was killed was about
// to put beside their keys (certs::FinishPairs), here and where the API server's manifest says:
// etcd, which reads its pair for each connection, answers nobody until then.
NodeLock Lock(host::Host& host, const Request& request);

}  // namespace node_lock
