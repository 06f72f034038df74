// SPDX-License-Identifier: Apache-2.0
// A change on trial: who takes it back when nobody confirms it.
#pragma once

#include <optional>
#include <string>

#include "config_change/record.h"
#include "host/host.h"

namespace config_change {

// IsDone: there is no change, or one that is kept: nothing is left to watch over.
bool IsDone(const std::optional<Change>& change);

// IsOnTrial: the change is being tried, and its time is not over.
bool IsOnTrial(const std::optional<Change>& change, const host::Clock& clock);

// WasCutOff: the last change of this node was, since the caller holds the node's lock.
bool WasCutOff(const host::Files& files);

// MayBeTakenBack: the last change of this node is not kept and has a keeper, which may be taking it
// back: a command that needs the node waits for that.
bool MayBeTakenBack(const host::Files& files);

// NoteTakenBack is for a keeper that has taken its change back. TellsOfTakingBack tells, once,
// whether one has, and no change has followed: a command that was to do the same has nothing left
// to do.
void NoteTakenBack(host::Files& files);
bool TellsOfTakingBack(host::Files& files);

// RequireNoneCutOff throws base::Error, with the command to run first, when a change of this node
// was interrupted; RequireNoOther also when one is on trial.
void RequireNoneCutOff(const host::Files& files);
void RequireNoOther(const host::Files& files);

// Keeper is who waits for the end of a trial.
enum class Keeper {
  kService,  // a service of systemd or OpenRC, which a boot starts again
  kProcess   // a process of its own: after a reboot it is 'kubeadm config undo' that takes back
};

// StartKeeper starts `config keep` of the program that runs, apart from this process and its
// terminal: as a service where there is a service manager. Returns when the keeper has answered
// (ReportAlive). Throws base::Error when it cannot be started, kTimeout when it has not answered
// for a minute, kCancelled for an interrupt; what it has started by then, ForgetTrial stops.
Keeper StartKeeper(const std::string& change, host::Host& host);

// LoadTried returns the change of that id, for its keeper; std::nullopt when it is kept or rolled
// back, or when another change has followed it.
std::optional<Change> LoadTried(const std::string& change, const host::Files& files);

// ReportAlive answers StartKeeper, from the keeper of that change, when it sees its journal.
void ReportAlive(const std::string& change, host::Files& files);

// Confirm keeps the change that is being tried. Throws base::Error: kNotFound when there is none,
// kConflict for one that is being taken back, or was cut off.
void Confirm(host::Host& host);

// StopKeeper removes the service; a process ends by itself when the journal says that it may.
void StopKeeper(host::Host& host);

// HasTrial: there is a keeper's service here, or the journal of a change.
bool HasTrial(const host::Files& files);

// ForgetTrial is for a node that leaves its cluster: the service is stopped and removed, and
// nothing is left to take a change back by. The caller holds the node's lock, for which a keeper
// that is a process waits before it acts.
void ForgetTrial(host::Host& host);

}  // namespace config_change
