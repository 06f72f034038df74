// SPDX-License-Identifier: Apache-2.0
// The node's lock as a flag of commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/show_line.h"
#include "cli/command.h"
#include "host/host.h"
#include "node_lock/node_lock.h"

namespace kubeadm {

// How long a command waits for the lock when --lock-timeout does not say. A whole run is begun by a
// person, who had better hear at once what is going on (a run that was just killed gets a moment to
// go). Single steps are what scripts run side by side, and nobody looks at what a timer starts.
inline constexpr const char* kRunPatience = "1s";
inline constexpr const char* kStepPatience = "1m0s";
inline constexpr const char* kTimerPatience = "10m0s";

inline constexpr const char* kLockTimeout = node_lock::kTimeoutFlag;

// LockTimeoutFlag is --lock-timeout. Told by the texts, not by the tables of flags, which others
// parse.
cli::Flag LockTimeoutFlag(const char* default_text);

// LockRequest: what the command may write besides files that are only root's, and who is told that
// it waits.
struct LockRequest {
  std::vector<host::fs::path> directories;
  base::ShowLine say;
  // How long to wait where the user does not say; not set: by the default of --lock-timeout.
  std::optional<base::Duration> patience = {};
};

using node_lock::NodeLock;

// LockNode is node_lock::Lock as the command line asks for it. No lock for a command that does not
// offer --lock-timeout: it only reads.
NodeLock LockNode(const cli::Invocation& invocation, host::Host& host, const LockRequest& request);

// LockToAct is LockNode for a command that plans before it acts: none with --dry-run.
NodeLock LockToAct(const cli::Invocation& invocation, host::Host& host, const LockRequest& request);

}  // namespace kubeadm
