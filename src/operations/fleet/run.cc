// SPDX-License-Identifier: Apache-2.0
#include "fleet/run.h"

#include <fmt/core.h>

#include <map>
#include <utility>

#include "base/error.h"
#include "fleet/driver.h"
#include "fleet/status.h"
#include "kube/lead_while_held.h"
#include "kube/leader_election.h"

namespace fleet {
namespace {

using base::Error;

constexpr std::chrono::seconds kPause{2};
// The Lease outlives most outages of the API server; after a crash the next run waits for its end.
constexpr std::chrono::minutes kLeaseDuration{5};
constexpr std::chrono::minutes kRenewDeadline{4};
constexpr std::chrono::seconds kRenewPeriod{10};

// Shows each change of a node's state once.
class ProgressReport {
 public:
  explicit ProgressReport(base::ShowLine say) : say_(std::move(say)) {}

  void Show(const FleetProgress& progress) {
    for (const TaskProgress& task : progress.tasks) {
      SayOnce(task.node,
              fmt::format("{}{}{}", EnumNames(task.stage)[static_cast<std::size_t>(task.stage)],
                          task.message.empty() ? "" : ": ", task.message),
              task.stage == Stage::kPending);
    }
    SayOnce("waiting", progress.waiting, progress.waiting.empty());
  }

 private:
  void SayOnce(const std::string& subject, const std::string& text, bool quiet) {
    std::string& last = last_[subject];
    if (last != text && !quiet) {
      say_(fmt::format("{}: {}", subject, text));
    }
    last = text;
  }

  base::ShowLine say_;
  std::map<std::string, std::string> last_;
};

void Drive(FleetDriver& driver, const RunDeps& deps, const std::stop_token& stop) {
  ProgressReport report(deps.say);
  deps.client.Retry("", [&] { driver.RemoveFailedJobs(); });
  while (true) {
    FleetProgress progress;
    deps.client.Retry("", [&] { progress = driver.Advance(); });
    report.Show(progress);
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
  FleetDriver driver(operation,
                     {.client = deps.client, .clock = deps.clock, .settings = deps.settings});
  const bool held = kube::LeadWhileHeld(
      elector, [&](const std::stop_token& lost) { Drive(driver, deps, lost); }, stop);
  if (!held) {
    throw Error(Error::Kind::kConflict,
                fmt::format("the Lease {}/{} is lost: another client drives operations now",
                            name_space, kOperationsLease));
  }
}

}  // namespace fleet
