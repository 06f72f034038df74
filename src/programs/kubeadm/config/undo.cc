// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/config/undo.h"

#include <memory>

#include "config_change/operation.h"
#include "kubeadm/config_look.h"

namespace kubeadm {

PlannedRun PlanConfigUndo(const cli::Invocation& invocation, host::Host& host,
                          const base::ShowLine& say) {
  const engine::Journal journal = config_change::LoadJournal(host.files).value();
  const config_change::Recorded recorded = config_change::RecordedIn(journal);
  const auto look = std::make_shared<Look>(invocation.flags, host);
  const auto change = std::make_shared<config_change::Change>(recorded.before, recorded.plan,
                                                              look->ChangeDeps(say));
  return {.operation = change->ToOperation(journal.intent),
          .journal = journal,
          .plan = "Restore the configuration before the change\n",
          .require = [change, journal] { change->RequireReversible(journal); },
          .prepare = [change, journal] { change->PrepareRollback(journal); },
          .end = {"The change is rolled back"}};
}

TrialVerb ConfigTrial() {
  return {.timer = config_change::Timer(),
          .tag = "config",
          .rollback = PlanConfigUndo,
          .undo_summary = "Roll back the last change of this node's configuration",
          .facts_flags = ConfigLookFlags()};
}

}  // namespace kubeadm
