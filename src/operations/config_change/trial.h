// SPDX-License-Identifier: Apache-2.0
// A change on trial, and the keeper that rolls it back without a confirmation.
#pragma once

#include <optional>
#include <string>

#include "config_change/record.h"
#include "host/host.h"

namespace config_change {

// Returns whether no change exists, or it is kept: no keeper is needed any more.
bool IsDone(const std::optional<Change>& change);

// Returns whether the change is being tried, and its time is not over.
bool IsOnTrial(const std::optional<Change>& change, const host::Clock& clock);

// Returns whether the last change of this node was interrupted, given that the caller holds the
// node's lock.
bool WasCutOff(const host::Files& files);

// Returns whether the last change of this node is not kept and has a keeper, which may be rolling
// it back: a command that needs the node waits for that.
bool MayBeTakenBack(const host::Files& files);

// NoteTakenBack records a keeper's rollback. TellsOfTakingBack returns true once after that, unless
// another change has followed: a command for the same rollback has nothing left to do.
void NoteTakenBack(host::Files& files);
bool TellsOfTakingBack(host::Files& files);

// RequireNoneCutOff throws base::Error, with the command to run first, if a change of this node was
// interrupted; RequireNoOther also if one is on trial.
void RequireNoneCutOff(const host::Files& files);
void RequireNoOther(const host::Files& files);

// The process that waits for the end of a trial.
enum class Keeper {
  kService,  // a service of systemd or OpenRC, which a boot starts again
  kProcess   // a process of its own: after a reboot 'kubeadm config undo' does the rollback
};

// Starts `config keep` of the running program, detached from this process and its terminal: as a
// service if a service manager exists. Returns when the keeper has answered (ReportAlive). Throws
// base::Error if it cannot be started, kTimeout if it has not answered for a minute,
// base::Interrupted for an interrupt; ForgetTrial stops a keeper that was started.
Keeper StartKeeper(const std::string& change, host::Host& host);

// Returns the change of that id, for its keeper; std::nullopt if it is kept or rolled back, or if
// another change has followed it.
std::optional<Change> LoadTried(const std::string& change, const host::Files& files);

// Answers StartKeeper, from the keeper of that change, when it can read its journal.
void ReportAlive(const std::string& change, host::Files& files);

// Keeps the change on trial. Throws base::Error: kNotFound without one, kConflict during its
// rollback or after an interruption.
void Confirm(host::Host& host);

// Removes the service; a process ends by itself when the journal allows it.
void StopKeeper(host::Host& host);

// Returns whether this node has a keeper's service, or the journal of a change.
bool HasTrial(const host::Files& files);

// For a node that leaves its cluster: stops and removes the service, and the data for a rollback.
// The caller holds the node's lock, for which a keeper process waits before it acts.
void ForgetTrial(host::Host& host);

}  // namespace config_change
