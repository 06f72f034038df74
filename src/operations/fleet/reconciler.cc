// SPDX-License-Identifier: Apache-2.0
#include "fleet/reconciler.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "fleet/create_once.h"

namespace fleet {
namespace {

using base::Error;

constexpr const char* kFinalizer = "operations.slipway/release-nodes";
constexpr std::string_view kMergePatch = "application/merge-patch+json";

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

Reconciler::Reconciler(kube::Client& client, const host::Clock& clock, OperatorSettings settings)
    : client_(client), clock_(clock), settings_(std::move(settings)) {}

void Reconciler::Pass() {
  std::vector<json::Value> objects = client_.List(kClusterOperation, "");
  std::ranges::sort(objects, IsOlder);
  const json::Value* current = nullptr;
  for (const json::Value& object : objects) {
    if (IsDeleted(object)) {
      EndDeleted(object);
      if (current == nullptr && HasFinalizer(object)) {
        current = &object;  // its last Job may still run
      }
    } else if (!IsFinished(object) && current == nullptr) {
      current = &object;
      Advance(object);
    } else if (!IsFinished(object)) {
      AwaitTurn(object, *current);
    }
  }
  Prune(objects);
  Count(objects);
}

FleetDriver& Reconciler::DriverOf(const json::Value& object, const ClusterOperation& operation) {
  FleetDriver& driver =
      drivers_
          .try_emplace(json::TextAt(object, {"metadata", "uid"}), operation,
                       FleetDeps{.client = client_, .clock = clock_, .settings = settings_.jobs})
          .first->second;
  driver.SetPaused(operation.spec.paused);
  return driver;
}

void Reconciler::Advance(const json::Value& object) {
  StatusFacts facts;
  try {
    const ClusterOperation operation = ParseOperation(object);
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
}

void Reconciler::AwaitTurn(const json::Value& object, const json::Value& current) {
  Report(object, {.phase = Phase::kPending,
                  .message = fmt::format("waits for operation {}", NameOf(current)),
                  .tasks = {}});
}

void Reconciler::EndDeleted(const json::Value& object) {
  if (!HasFinalizer(object)) {
    return;
  }
  const ClusterOperation operation = ParseOperation(object);
  if (DriverOf(object, operation).Release()) {
    SetFinalizer(object, false);
    drivers_.erase(operation.uid);
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
  for (const json::Value& event : EventsFor(object, facts.tasks, now)) {
    CreateOnce(client_, kube::resources::kEvent, event);
  }
  json::Value status = StatusFor(object, facts, now);
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
    client_.Delete({kClusterOperation, "", NameOf(*finished[i])});
  }
}

void Reconciler::Count(const std::vector<json::Value>& objects) {
  std::map<std::string, std::size_t> phases;
  for (const std::string_view name : EnumNames(Phase::kPending)) {
    phases[std::string(name)] = 0;
  }
  for (const json::Value& object : objects) {
    const std::string phase = json::TextAt(object, {"status", "phase"});
    ++phases[phase.empty() ? std::string(ToString(Phase::kPending)) : phase];
  }
  const std::scoped_lock lock(mutex_);
  phases_ = std::move(phases);
}

std::string Reconciler::MetricsText() const {
  std::string text =
      "# HELP slipway_operations ClusterOperations, by phase.\n"
      "# TYPE slipway_operations gauge\n";
  const std::scoped_lock lock(mutex_);
  for (const auto& [phase, count] : phases_) {
    text += fmt::format("slipway_operations{{phase=\"{}\"}} {}\n", phase, count);
  }
  return text;
}

}  // namespace fleet
