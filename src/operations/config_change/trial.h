// SPDX-License-Identifier: Apache-2.0
// A change on trial: who takes it back when nobody confirms it.
#pragma once

#include <optional>

#include "config_change/record.h"
#include "host/host.h"

namespace config_change {

// IsDone: there is no change, or one that is kept: nothing is left to watch over.
bool IsDone(const std::optional<Change>& change);

// IsOnTrial: the change is being tried, and its time is not over.
bool IsOnTrial(const std::optional<Change>& change, const host::Clock& clock);

// WasCutOff: the last change of this node was, since the caller holds the node's lock.
bool WasCutOff(const host::Files& files);

// RequireNoOther throws base::Error, with what to do first, when a change of this node was cut off
// or is on trial.
void RequireNoOther(const host::Files& files);

// Keeper is who waits for the end of a trial.
enum class Keeper {
  kService,  // a service of systemd or OpenRC, which a boot starts again
  kProcess   // a process of its own: after a reboot it is 'kubeadm config undo' that takes back
};

// StartKeeper starts `kubeadm config keep` apart from this process and its terminal, as a service
// where there is somebody to keep it. Throws base::Error when it cannot be started.
Keeper StartKeeper(host::Host& host);

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
