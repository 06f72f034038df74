// SPDX-License-Identifier: Apache-2.0
#include "fleet/driver.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "fleet/create_once.h"
#include "fleet/drain.h"
#include "json/rfc3339.h"
#include "json/value.h"

namespace fleet {
namespace {

using base::Error;

constexpr std::size_t kKeyBytes = 32;  // AES-256

void RequireSameSpec(const ClusterOperation& operation, const FleetFacts& facts) {
  for (const auto& [id, job] : facts.jobs) {
    if (job.spec_hash != operation.SpecHash()) {
      throw Error(Error::Kind::kConflict,
                  fmt::format("an operation \"{}\" with another spec has been begun (Job {}): "
                              "complete it with that spec, or choose another name",
                              operation.name, id));
    }
  }
}

}  // namespace

FleetDriver::FleetDriver(ClusterOperation operation, FleetDeps deps)
    : operation_(std::move(operation)), deps_(std::move(deps)) {}

FleetFacts FleetDriver::Collect() const {
  FleetFacts facts = CollectFacts(operation_, deps_.client, deps_.clock, deps_.settings.name_space);
  facts.failures = failures_;
  return facts;
}

// Returns why no further node may begin; "" if one may.
std::string FleetDriver::CollectHold(std::chrono::sys_seconds now) const {
  const OperationSpec& spec = operation_.spec;
  if (spec.paused) {
    return "the operation is paused";
  }
  const std::string hold = WaitFor(spec.maintenance_windows, now);
  return hold.empty() ? CollectClosedGate(spec.health_gates, deps_.client) : hold;
}

FleetProgress FleetDriver::Advance() {
  const FleetFacts facts = Collect();
  RequireSameSpec(operation_, facts);
  FleetProgress progress =
      PlanActions(PlanFleet(operation_, facts.nodes, facts.from), facts, CollectHold(facts.now));
  for (const FleetAction& action : progress.actions) {
    Apply(action, facts, progress);
  }
  if (progress.IsDone()) {
    RemoveKey();
  }
  return progress;
}

void FleetDriver::Apply(const FleetAction& action, const FleetFacts& facts,
                        FleetProgress& progress) {
  const NodeTask& task = action.task;
  const FleetNode& node = RequireNode(facts, task.node);
  switch (action.kind) {
    case FleetAction::Kind::kCordon:
      ApplyCordon(deps_.client, {.node = node.name,
                                 .task = task.id,
                                 .time = json::FormatRfc3339(facts.now),
                                 .cordoned_before = node.cordoned});
      break;
    case FleetAction::Kind::kDrain:
      Drain(action, node, progress.RequireTask(task.id), facts.now);
      break;
    case FleetAction::Kind::kStart:
      Start(task);
      break;
    case FleetAction::Kind::kRollback:
      Start(RollbackTaskOf(task));
      break;
    case FleetAction::Kind::kUncordon:
      RemoveCordon(deps_.client, node.name, node.cordoned_before);
      break;
  }
}

void FleetDriver::Drain(const FleetAction& action, const FleetNode& node, TaskProgress& progress,
                        std::chrono::sys_seconds now) {
  const DrainRules& rules = operation_.spec.drain;
  try {
    const std::vector<std::string> remaining = ApplyDrain(deps_.client, node.name, rules);
    if (remaining.empty()) {
      Start(action.task);
      return;
    }
    progress.message = remaining.front();
    if (now - node.since.value_or(now) < rules.timeout) {
      return;
    }
    progress.message = fmt::format("the drain did not end within {}: {}",
                                   base::FormatDuration(rules.timeout), remaining.front());
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kInvalid) {
      throw;
    }
    progress.message = error.message();
  }
  RemoveCordon(deps_.client, node.name, node.cordoned_before);
  progress.stage = Stage::kFailed;
  failures_[action.task.id] = progress.message;
}

void FleetDriver::Start(const NodeTask& task) {
  if (task.takes_key) {
    const std::string key = base::HexEncode(deps_.random.Bytes(kKeyBytes));
    CreateOnce(deps_.client, kube::resources::kSecret,
               KeySecretFor(operation_, deps_.settings, key));
  }
  CreateOnce(deps_.client, kube::resources::kJob, JobFor(operation_, task, deps_.settings));
}

void FleetDriver::RemoveJobsIf(bool (*chosen)(const TaskJob& job)) {
  const FleetFacts facts = Collect();
  RequireSameSpec(operation_, facts);
  for (const auto& [id, job] : facts.jobs) {
    if (chosen(job)) {
      kube::Found([&] {
        return deps_.client.Raw({.verb = kube::Verb::kDelete,
                                 .resource = kube::resources::kJob,
                                 .name_space = deps_.settings.name_space,
                                 .name = id,
                                 .body = {{"apiVersion", "v1"},
                                          {"kind", "DeleteOptions"},
                                          {"propagationPolicy", "Foreground"}}});
      });
    }
  }
}

bool FleetDriver::Release() {
  const FleetFacts facts = Collect();
  if (std::ranges::any_of(facts.jobs, [](const auto& job) {
        return job.second.state == TaskJob::State::kActive;
      })) {
    return false;
  }
  for (const FleetNode& node : facts.nodes) {
    if (IsTaskOf(operation_, node.name, node.task)) {
      RemoveCordon(deps_.client, node.name, node.cordoned_before);
    }
  }
  return true;
}

void FleetDriver::RemoveFailedJobs() {
  RemoveJobsIf([](const TaskJob& job) {
    return job.state == TaskJob::State::kFailed || IsRollbackTask(job.id);
  });
}

void FleetDriver::RemoveJobs() {
  RemoveJobsIf([](const TaskJob&) { return true; });
  RemoveKey();
}

void FleetDriver::RemoveKey() {
  if (operation_.spec.rotate_ca) {
    kube::Found([&] {
      deps_.client.Delete(
          {kube::resources::kSecret, deps_.settings.name_space, KeySecretName(operation_)});
      return true;
    });
  }
}

}  // namespace fleet
