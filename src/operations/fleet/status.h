// SPDX-License-Identifier: Apache-2.0
// The status of a ClusterOperation, and the Events about it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/progress.h"
#include "json/value.h"

namespace fleet {

enum class Phase : std::int32_t { kPending, kRunning, kPaused, kComplete, kFailed };
std::span<const std::string_view> EnumNames(Phase phase);
std::string_view ToString(Phase phase);

// The content of a status.
struct StatusFacts {
  Phase phase = Phase::kPending;
  std::string message;  // cause of a failure, or reason of a wait; may be empty
  std::optional<std::vector<TaskProgress>> tasks;  // not set: the status keeps its present tasks
};

// Returns the phase of an operation with this progress.
Phase PhaseOf(const FleetProgress& progress, bool paused);

// Returns the causes of all failed tasks: "cp-1: no etcd".
std::string CausesOf(const FleetProgress& progress);

// Returns the new status of `object`, which contains the present status. Times and conditions
// change only when the phase changes. The conditions Ready, Reconciling and Stalled are the
// conditions of kstatus (sigs.k8s.io/cli-utils), by which Flux and other tools judge the health of
// an object.
json::Value StatusFor(const json::Value& object, const StatusFacts& facts,
                      std::chrono::sys_seconds now);

// Returns whether the operation is complete or failed, according to the object's status.
bool IsFinished(const json::Value& object);

// Returns the present status with condition Stalled, whose message says why passes fail.
json::Value StalledStatusFor(const json::Value& object, const std::string& cause,
                             std::chrono::sys_seconds now);

// Returns the time since which passes fail, according to the object's status; std::nullopt if the
// last pass has succeeded.
std::optional<std::chrono::sys_seconds> StalledSince(const json::Value& object);

// Returns an Event for each node whose stage differs from its stage in the object's present status.
// Also returns an Event if the operation has ended since that status. The name of an Event depends
// only on the change, so each change is reported once.
std::vector<json::Value> EventsFor(const json::Value& object, const StatusFacts& facts,
                                   std::chrono::sys_seconds now);

// Returns the Event that says why the object's passes fail.
json::Value StallEventFor(const json::Value& object, const std::string& cause,
                          std::chrono::sys_seconds now);

}  // namespace fleet
