// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/duration.h"
#include "doctor/judge.h"

namespace doctor {
namespace {

using checks::Severity;

// The age allows for one failed daily run. A daily run is due within six hours of midnight.
constexpr std::chrono::hours kOldest{48};

std::string Remedy() {
  return "read the log of the runs: 'journalctl -u kubeadm-backup', or the system's log with cron; "
         "then 'systemctl start kubeadm-backup', or the command of 'kubeadm backup schedule "
         "status'";
}

}  // namespace

// Judges the daily backups. A node without a timer and without a record has no schedule to fall
// behind.
void JudgeBackup(const Facts& facts, Findings& findings) {
  const auto& [timer, last, failure] = facts.backup;
  if (timer.enabled && !timer.problem.empty()) {
    findings.push_back({.id = "backup-timer-broken",
                        .severity = Severity::kWarning,
                        .subject = "backup",
                        .what = "the timer cannot back this node up: " + timer.problem,
                        .remedy = "enable it again: 'kubeadm backup schedule enable'"});
    return;
  }
  if (!timer.enabled && !last && !failure) {
    return;
  }
  if (failure) {
    findings.push_back(
        {.id = "backup-failed",
         .severity = Severity::kWarning,
         .subject = "backup",
         .what = fmt::format("the last run of the backup schedule failed {} ago, and {}",
                             base::HumanDuration(facts.now - failure->time),
                             last ? fmt::format("the last verified backup is {} old",
                                                base::HumanDuration(facts.now - last->created))
                                  : "no backup was verified yet"),
         .evidence = failure->error,
         .remedy = Remedy()});
    return;
  }
  const auto age = facts.now - (last ? last->created : timer.since);
  if (age <= kOldest) {
    return;
  }
  findings.push_back(
      {.id = "backup-old",
       .severity = timer.enabled ? Severity::kWarning : Severity::kNote,
       .subject = "backup",
       .what = last ? fmt::format("the last backup that was verified is {} old",
                                  base::HumanDuration(age))
                    : fmt::format("no backup was verified in the {} since the timer was enabled",
                                  base::HumanDuration(age)),
       .evidence = last ? last->path : "",
       .remedy =
           timer.enabled ? Remedy() : "'kubeadm backup schedule enable', or run it elsewhere"});
}

}  // namespace doctor
