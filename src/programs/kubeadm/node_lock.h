// SPDX-License-Identifier: Apache-2.0
// The flag --lock-timeout, and the lock of the node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/show_line.h"
#include "cli/command.h"
#include "engine/node_lock.h"
#include "host/host.h"

namespace kubeadm {

// The time that a command waits for the lock without --lock-timeout. kRunPatience is for whole
// runs: a user must see the conflict soon, but a run that was just killed needs a moment to end.
// Single phases and short commands wait longer, because scripts run them concurrently. A timer's
// run waits longest, because no user waits for it.
inline constexpr const char* kRunPatience = "1s";
inline constexpr const char* kStepPatience = "1m0s";
inline constexpr const char* kTimerPatience = "10m0s";

inline constexpr const char* kLockTimeout = engine::kLockTimeoutFlag;

// Returns the flag --lock-timeout. It is documented in the texts of commands and not in their
// tables of flags, because other programs parse these tables.
cli::Flag LockTimeoutFlag(const char* default_text);

// The settings of LockNode: the directories outside of root's own files that the command may write
// to, and the receiver of the message about a wait.
struct LockRequest {
  std::vector<host::fs::path> directories;
  base::ShowLine say;
  // The time limit without --lock-timeout; not set: the flag's default.
  std::optional<base::Duration> patience = {};
};

using engine::NodeLock;

// Calls engine::LockNode with the settings of the command line. A command that does not have the
// flag --lock-timeout only reads, and takes no lock.
NodeLock LockNode(const cli::Invocation& invocation, host::Host& host, const LockRequest& request);

// Like LockNode, for a command that plans before it acts. With --dry-run it takes no lock.
NodeLock LockToAct(const cli::Invocation& invocation, host::Host& host, const LockRequest& request);

}  // namespace kubeadm
