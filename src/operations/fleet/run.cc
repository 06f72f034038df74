// SPDX-License-Identifier: Apache-2.0
#include "fleet/run.h"

#include <fmt/core.h>

#include "base/error.h"
#include "fleet/change_report.h"
#include "fleet/driver.h"
#include "fleet/status.h"
#include "json/value.h"
#include "kube/lead_while_held.h"
#include "kube/leader_election.h"

namespace fleet {
namespace {

using base::Error;

constexpr std::chrono::seconds kPause{2};
// The Lease is longer than most outages of the API server. After a crash, the next run waits until
// the Lease has expired.
constexpr std::chrono::minutes kLeaseDuration{5};
constexpr std::chrono::minutes kRenewDeadline{4};
constexpr std::chrono::seconds kRenewPeriod{10};

void Show(const FleetProgress& progress, ChangeReport& report) {
  for (const TaskProgress& task : progress.tasks) {
    report.Show(
        task.Subject(),
        fmt::format("{}{}{}", ToString(task.stage), task.message.empty() ? "" : ": ", task.message),
        task.stage == Stage::kPending);
  }
  report.Show("waiting", progress.waiting, progress.waiting.empty());
}

// Records the stages of the nodes and their times, in the form of an object's status. Passes the
// spans of an operation that has ended to RunDeps::on_end.
class StatusRecord {
 public:
  StatusRecord(const ClusterOperation& operation, const RunDeps& deps)
      : operation_(operation), deps_(deps) {}

  void Take(const FleetProgress& progress) {
    object_["status"] = StatusFor(object_,
                                  {.phase = PhaseOf(progress, false),
                                   .message = progress.HasFailed() ? CausesOf(progress) : "",
                                   .tasks = progress.tasks},
                                  deps_.clock.NowSeconds());
    if (deps_.on_end && IsFinished(object_)) {
      deps_.on_end(SpansOf(object_, operation_, deps_.settings.traces));
    }
  }

 private:
  const ClusterOperation& operation_;
  const RunDeps& deps_;
  json::Value object_ = json::Value::object();
};

void Drive(FleetDriver& driver, StatusRecord& record, const RunDeps& deps,
           const std::stop_token& stop) {
  ChangeReport report(deps.say);
  deps.client.Retry("", [&] { driver.RemoveFailedJobs(); });
  while (true) {
    FleetProgress progress;
    deps.client.Retry("", [&] { progress = driver.Advance(); });
    Show(progress, report);
    record.Take(progress);
    if (progress.IsDone()) {
      deps.client.Retry("", [&] { driver.RemoveJobs(); });
      return;
    }
    if (progress.HasFailed()) {
      throw Error(
          fmt::format("the operation has stopped: {}. Remove the cause, then run the same "
                      "command again to go on",
                      CausesOf(progress)));
    }
    if (!deps.clock.Sleep(kPause, stop)) {
      throw base::Interrupted(
          "interrupted: Jobs that have begun continue; run the same command "
          "again to go on with the operation");
    }
  }
}

}  // namespace

void RunOperation(const ClusterOperation& operation, const RunDeps& deps,
                  const std::stop_token& stop) {
  const std::string& name_space = deps.settings.name_space;
  deps.client.CreateOrRetain(kube::resources::kNamespace, NamespaceFor(name_space));
  kube::LeaderElector elector(
      deps.client.transport(), deps.clock,
      {.name_space = name_space,
       .name = std::string(kOperationsLease),
       .identity = deps.identity,
       .lease_duration = kLeaseDuration,
       .renew_deadline = kRenewDeadline,
       .retry_period = kRenewPeriod,
       .waiting = [&deps](const std::string& holder) {
         deps.say(fmt::format("{} drives an operation: waiting until it ends", holder));
       }});
  if (!elector.Acquire(stop)) {
    throw base::Interrupted("interrupted: nothing was begun");
  }
  FleetDriver driver(operation, {.client = deps.client,
                                 .clock = deps.clock,
                                 .random = deps.random,
                                 .settings = deps.settings});
  StatusRecord record(operation, deps);
  const bool held = kube::LeadWhileHeld(
      elector, [&](const std::stop_token& lost) { Drive(driver, record, deps, lost); }, stop);
  if (!held) {
    throw Error(Error::Kind::kConflict,
                fmt::format("the Lease {}/{} is lost: another client drives operations now",
                            name_space, kOperationsLease));
  }
}

}  // namespace fleet
