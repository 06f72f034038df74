// SPDX-License-Identifier: Apache-2.0
// The schedule of this node's backups.
#include "backup/daily.h"
#include "doctor/parts.h"

namespace doctor {

Answer CollectBackup(const DoctorSources& sources) {
  return [schedule = backup::CollectSchedule(sources.host)](Facts& facts) {
    facts.backup = schedule;
    facts.looked_at.emplace_back("backups");
  };
}

}  // namespace doctor
