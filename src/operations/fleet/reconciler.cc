// SPDX-License-Identifier: Apache-2.0
#include "fleet/reconciler.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>

#include "base/duration.h"
#include "base/error.h"
#include "base/log.h"
#include "fleet/create_once.h"

namespace fleet {
namespace {

using base::Error;

constexpr const char* kFinalizer = "operations.slipway/release-nodes";
constexpr std::string_view kMergePatch = "application/merge-patch+json";

// A single failure is not reported, because a change between two requests, such as a deleted Node,
// can cause it.
constexpr int kReportedFailures = 2;
constexpr std::chrono::minutes kStallLimit{10};

std::string UidOf(const json::Value& object) { return json::TextAt(object, {"metadata", "uid"}); }

std::string NameOf(const json::Value& object) { return json::TextAt(object, {"metadata", "name"}); }

bool IsDeleted(const json::Value& object) {
  return !json::At(object, {"metadata", "deletionTimestamp"}).is_null();
}

bool HasFinalizer(const json::Value& object) {
  const json::Value& finalizers = json::At(object, {"metadata", "finalizers"});
  return finalizers.is_array() && std::ranges::contains(finalizers, json::Value(kFinalizer));
}

// Orders by age; names decide between objects of the same second.
bool IsOlder(const json::Value& a, const json::Value& b) {
  const auto key = [](const json::Value& object) {
    return std::tuple(json::TextAt(object, {"metadata", "creationTimestamp"}), NameOf(object));
  };
  return key(a) < key(b);
}

}  // namespace

Reconciler::Reconciler(kube::Client& client, const host::Clock& clock, host::Random& random,
                       OperatorSettings settings)
    : client_(client), clock_(clock), random_(random), settings_(std::move(settings)) {}

std::vector<json::Value> Reconciler::CollectObjects() {
  std::vector<json::Value> objects;
  client_.ForEach(kClusterOperation, "", [&](const json::Value& object) {
    objects.push_back(WithoutUnusedParts(object));
    return json::Compact(objects.back()).size();
  });
  std::ranges::sort(objects, IsOlder);
  return objects;
}

// Returns whether the handling of the object has failed for kStallLimit.
bool Reconciler::HasStalled(const json::Value& object) const {
  const auto since = StalledSince(object);
  return since && clock_.NowSeconds() - *since >= kStallLimit;
}

void Reconciler::Pass() {
  const std::vector<json::Value> objects = CollectObjects();
  const json::Value* current = nullptr;
  for (const json::Value& object : objects) {
    if (IsDeleted(object)) {
      Handle(object, [&] { EndDeleted(object); });
      if (current == nullptr && HasFinalizer(object) && !HasStalled(object)) {
        // The last Job of the deleted object may still run, so no other object may begin.
        current = &object;
      }
    } else if (!IsFinished(object) && current == nullptr) {
      current = &object;
      Handle(object, [&] { Advance(object); });
    } else if (!IsFinished(object)) {
      Handle(object, [&] { AwaitTurn(object, *current); });
    }
  }
  Prune(objects);
  Forget(objects);
  metrics_.CountObjects(objects);
}

void Reconciler::Handle(const json::Value& object, const std::function<void()>& work) {
  const std::string uid = UidOf(object);
  try {
    work();
    failures_.erase(uid);
    return;
  } catch (const std::exception& error) {  // the JSON library throws, too
    base::LogWarning("operation {}: {}", NameOf(object), error.what());
    if (++failures_[uid] < kReportedFailures) {
      return;
    }
    try {
      Stall(object, error.what());
    } catch (const std::exception& second) {
      base::LogWarning("operation {}: its status cannot be written: {}", NameOf(object),
                       second.what());
    }
  }
}

void Reconciler::Stall(const json::Value& object, const std::string& cause) {
  const std::chrono::sys_seconds now = clock_.NowSeconds();
  if (HasStalled(object) && !IsDeleted(object) && !IsFinished(object)) {
    Report(object, {.phase = Phase::kFailed,
                    .message = fmt::format("no progress for {}: {}",
                                           base::FormatDuration(kStallLimit), cause),
                    .tasks = {}});
    return;
  }
  if (!StalledSince(object)) {
    CreateOnce(client_, kube::resources::kEvent, StallEventFor(object, cause, now));
  }
  WriteStatus(object, StalledStatusFor(object, cause, now));
}

FleetDriver& Reconciler::DriverOf(const json::Value& object, const ClusterOperation& operation) {
  FleetDriver& driver = drivers_.try_emplace(UidOf(object), operation, Deps()).first->second;
  driver.SetPaused(operation.spec.paused);
  return driver;
}

void Reconciler::Advance(const json::Value& object) {
  StatusFacts facts;
  ClusterOperation operation;
  try {
    operation = ParseOperation(object);
    if (!HasFinalizer(object)) {
      SetFinalizer(object, true);
    }
    const FleetProgress progress = DriverOf(object, operation).Advance();
    facts = {.phase = PhaseOf(progress, operation.spec.paused),
             .message = progress.HasFailed() ? CausesOf(progress) : progress.waiting,
             .tasks = progress.tasks};
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kInvalid) {
      throw;
    }
    facts = {.phase = Phase::kFailed, .message = error.message(), .tasks = {}};
  }
  Report(object, facts);
  if (facts.phase == Phase::kComplete) {
    SetFinalizer(object, false);  // no node is cordoned any more
  }
  ReportSpans(object, operation, facts);
}

void Reconciler::ReportSpans(const json::Value& object, const ClusterOperation& operation,
                             const StatusFacts& facts) {
  const bool is_valid = !operation.name.empty();
  if (settings_.on_end && is_valid &&
      (facts.phase == Phase::kComplete || facts.phase == Phase::kFailed)) {
    const json::Value ended = {{"status", StatusFor(object, facts, clock_.NowSeconds())}};
    settings_.on_end(SpansOf(ended, operation, settings_.jobs.traces));
  }
}

void Reconciler::AwaitTurn(const json::Value& object, const json::Value& current) {
  Report(object, {.phase = Phase::kPending,
                  .message = fmt::format("waits for operation {}", NameOf(current)),
                  .tasks = {}});
}

// Ends a deleted object. Uses only its name and UID, so that an object with an invalid spec can be
// deleted.
void Reconciler::EndDeleted(const json::Value& object) {
  if (!HasFinalizer(object)) {
    return;
  }
  FleetDriver driver({.name = NameOf(object), .uid = UidOf(object), .spec = {}}, Deps());
  if (!IsOperationName(NameOf(object)) || driver.Release()) {
    SetFinalizer(object, false);
  }
}

void Reconciler::SetFinalizer(const json::Value& object, bool present) {
  json::Value finalizers = json::Value::array();
  for (const json::Value& finalizer : json::At(object, {"metadata", "finalizers"})) {
    if (finalizer != kFinalizer) {
      finalizers.push_back(finalizer);
    }
  }
  if (present) {
    finalizers.push_back(kFinalizer);
  }
  client_.Patch({kClusterOperation, "", NameOf(object)}, kMergePatch,
                {{"metadata", {{"finalizers", std::move(finalizers)}}}});
}

void Reconciler::Report(const json::Value& object, const StatusFacts& facts) {
  const std::chrono::sys_seconds now = clock_.NowSeconds();
  for (const json::Value& event : EventsFor(object, facts, now)) {
    CreateOnce(client_, kube::resources::kEvent, event);
  }
  WriteStatus(object, StatusFor(object, facts, now));
}

void Reconciler::WriteStatus(const json::Value& object, json::Value status) {
  if (status == json::At(object, {"status"})) {
    return;
  }
  client_.Raw({.verb = kube::Verb::kPatch,
               .resource = kClusterOperation,
               .name = NameOf(object),
               .body = {{"status", std::move(status)}},
               .patch_type = std::string(kMergePatch),
               .subresource = "status"});
}

void Reconciler::Prune(const std::vector<json::Value>& objects) {
  std::vector<const json::Value*> finished;
  for (const json::Value& object : objects) {
    if (IsFinished(object) && !IsDeleted(object)) {
      finished.push_back(&object);
    }
  }
  const auto time = [](const json::Value* object) {
    return json::TextAt(*object, {"status", "completionTime"});
  };
  std::ranges::stable_sort(finished, {}, time);
  for (std::size_t i = 0; i + settings_.history < finished.size(); ++i) {
    const json::Value& object = *finished[i];
    Handle(object, [&] { client_.Delete({kClusterOperation, "", NameOf(object)}); });
  }
}

// Removes the data of objects that no longer exist.
void Reconciler::Forget(const std::vector<json::Value>& objects) {
  const auto is_gone = [&](const auto& entry) {
    return !std::ranges::contains(objects, entry.first, UidOf);
  };
  std::erase_if(drivers_, is_gone);
  std::erase_if(failures_, is_gone);
}

}  // namespace fleet
