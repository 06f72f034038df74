// SPDX-License-Identifier: Apache-2.0
// The record and the timer of this node's backups.
#include "backup/daily.h"
#include "doctor/parts.h"

namespace doctor {

Answer CollectBackup(const DoctorSources& sources) {
  BackupFact fact{.timer = {}, .last = backup::FindLastBackup(sources.host.files)};
  if (const auto scheduler = timers::DetectScheduler(sources.host)) {
    fact.timer = timers::StatusOf(backup::kDaily, *scheduler, sources.host);
  }
  return [fact = std::move(fact)](Facts& facts) {
    facts.backup = fact;
    facts.looked_at.emplace_back("backups");
  };
}

}  // namespace doctor
