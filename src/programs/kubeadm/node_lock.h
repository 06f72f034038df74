// One lock for each node: whatever changes it waits for what is changing it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "host/file_lock.h"
#include "host/host.h"

namespace kubeadm {

// How long a command waits for the lock when --lock-timeout does not say. A whole run is begun by a
// person, who had better hear at once what is going on (a run that was just killed gets a moment to
// go). Single steps are what scripts run side by side, and nobody looks at what a timer starts.
inline constexpr const char* kRunPatience = "1s";
inline constexpr const char* kStepPatience = "1m0s";
inline constexpr const char* kTimerPatience = "10m0s";

inline constexpr const char* kLockTimeout = "lock-timeout";

// LockTimeoutFlag is --lock-timeout. Told by the texts, not by the tables of flags, which others
// parse.
cli::Flag LockTimeoutFlag(const char* default_text);

// LockRequest: what the command may write besides files that are only root's, and who is told that
// it waits.
struct LockRequest {
  std::vector<host::fs::path> directories;
  std::function<void(const std::string& line)> say;
};

// NodeLock is held as long as it lives; a process that dies lets go of it.
using NodeLock = std::vector<host::FileLock>;

// LockNode waits until no other command changes this node: it locks /run/slipway/node.lock below
// the root directory of the process. Where that file cannot be made, directories are locked: those
// of the request, which are all that a user without rights to the node can change, and for root,
// whose /run is read-only then, /etc/kubernetes, which all commands have in common. No lock for a
// command that does not offer --lock-timeout: it only reads. Throws base::Error(kTimeout) naming
// the holder's command, process and begin when the flag's time is over, kUsage when that is
// negative, kCancelled for an interrupt.
NodeLock LockNode(const cli::Invocation& invocation, host::Host& host, const LockRequest& request);

}  // namespace kubeadm
