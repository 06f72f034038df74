// SPDX-License-Identifier: Apache-2.0
// Operations on trial, and the timer that rolls one back unless it is confirmed (commit-confirm).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/journal.h"
#include "host/host.h"

namespace engine {

// The timer that rolls an unconfirmed operation back. It is the process 'kubeadm COMMAND keep'.
// With a service manager this process is the service "kubeadm-COMMAND-keep".
struct RollbackTimer {
  std::string operation;  // Operation::name
  std::string command;    // "config", the group of the commands confirm, undo and keep
  std::function<std::optional<Journal>(const host::Files& files)> load;
  std::vector<std::string> earlier_files = {};  // Operation::earlier_files
};

// Returns whether the operation is on trial, and its time is not over.
bool IsOnTrial(const std::optional<Journal>& journal, const host::Clock& clock);

// Returns whether an unconfirmed operation has a timer. The timer may already be rolling the
// operation back, so a command that needs the node must wait until the rollback has ended.
bool MayBeRolledBack(const RollbackTimer& timer, const host::Files& files);

// Throws base::Error(kConflict), with the commands that can follow, if the operation was
// interrupted, or is on trial. The caller holds the node's lock.
void RequireSettled(const RollbackTimer& timer, const host::Files& files);

// The kind of a timer's process.
enum class TimerKind {
  // A service of systemd or OpenRC, which starts the timer again at boot.
  kService,
  // A process without a service. After a reboot, the user must run 'kubeadm COMMAND undo'.
  kProcess
};

// Starts the timer of the operation with that id (Journal::id), as a process that is detached from
// this process and its terminal. Returns when the timer has answered (ReportTimer). Throws
// base::Error if the timer cannot be started, kTimeout if it has not answered for a minute, and
// base::Interrupted for an interrupt. After an error, call ForgetTrial, which stops a timer that
// was started.
TimerKind StartTimer(const RollbackTimer& timer, const std::string& id, host::Host& host);

// Called in the timer's process: answers StartTimer if this process can read its journal.
void ReportTimer(const RollbackTimer& timer, const std::string& id, host::Files& files);

// Returns the journal of the operation with that id, for the operation's timer. Returns
// std::nullopt if the operation was confirmed or rolled back, or if another operation has followed.
std::optional<Journal> LoadUnconfirmed(const RollbackTimer& timer, const std::string& id,
                                       const host::Files& files);

// Confirms the operation on trial. Throws base::Error: kNotFound if no operation is on trial,
// kConflict if the operation is being rolled back or was interrupted.
void Confirm(const RollbackTimer& timer, host::Host& host);

// Removes the timer's service. A timer without a service ends by itself when the journal shows that
// no rollback is needed.
void StopTimer(const RollbackTimer& timer, host::Host& host);

// The rollback note records that the last operation was rolled back, by its timer or by a user's
// command. If it exists, another command for the same rollback has no work left. The next
// operation removes it.
void LeaveRollbackNote(const RollbackTimer& timer, host::Files& files);
void RemoveRollbackNote(const RollbackTimer& timer, host::Files& files);
bool HasRollbackNote(const RollbackTimer& timer, const host::Files& files);

// Returns whether this node has a timer, a journal or a note of the operation.
bool HasTrial(const RollbackTimer& timer, const host::Files& files);

// Stops and removes the timer, and removes the data for a rollback. Called when the node leaves its
// cluster. The caller must hold the node's lock, for which a timer waits before it acts.
void ForgetTrial(const RollbackTimer& timer, host::Host& host);

}  // namespace engine
