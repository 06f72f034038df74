// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "doctor/fake_facts.h"
#include "doctor/judge.h"

namespace doctor {
namespace {

constexpr std::chrono::days kDay{1};

backup::LastBackup MadeAt(sys_seconds time) {
  return {.path = "/var/backups/x.tar.zst.age", .created = time, .size = 1, .revision = 1};
}

TEST(JudgeBackup, WarnsOfAnOldBackupAndOfATimerThatCannotRun) {
  ExpectFirst({
      {"a timer whose program is gone",
       [](Facts& facts) {
         facts.backup.timer = {.enabled = true, .since = kNow, .problem = "there is no program x"};
       },
       "backup-timer-broken", "backup", Severity::kWarning},
      {"an old backup",
       [](Facts& facts) {
         facts.backup = {.timer = {.enabled = true, .since = kNow},
                         .last = MadeAt(kNow - 3 * kDay),
                         .failure = {}};
       },
       "backup-old", "backup", Severity::kWarning},
      {"a run that failed after a fresh backup",
       [](Facts& facts) {
         facts.backup = {.timer = {.enabled = true, .since = kNow},
                         .last = MadeAt(kNow - kDay),
                         .failure = {{.time = kNow, .error = "no space left"}}};
       },
       "backup-failed", "backup", Severity::kWarning},
      {"a run that failed by another scheduler",
       [](Facts& facts) { facts.backup.failure = {{.time = kNow, .error = "no space left"}}; },
       "backup-failed", "backup", Severity::kWarning},
      {"an old backup without a timer",
       [](Facts& facts) { facts.backup.last = MadeAt(kNow - 3 * kDay); }, "backup-old", "backup",
       Severity::kNote},
      {"a timer that never succeeded",
       [](Facts& facts) { facts.backup.timer = {.enabled = true, .since = kNow - 3 * kDay}; },
       "backup-old", "backup", Severity::kWarning},
  });
}

TEST(JudgeBackup, IsSilentWithoutAScheduleAndWithAFreshBackup) {
  Findings findings;
  Facts facts = Healthy();
  JudgeBackup(facts, findings);
  facts.backup = {.timer = {.enabled = true, .since = kNow}, .last = {}, .failure = {}};
  JudgeBackup(facts, findings);
  facts.backup = {.timer = {.enabled = true, .since = kNow - 9 * kDay},
                  .last = MadeAt(kNow - kDay),
                  .failure = {}};
  JudgeBackup(facts, findings);
  EXPECT_THAT(findings, testing::IsEmpty());
}

}  // namespace
}  // namespace doctor
