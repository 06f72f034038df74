// SPDX-License-Identifier: Apache-2.0
// What an upgrade would lose of what was changed by hand.
#include <fmt/core.h>

#include "base/error.h"
#include "config_change/edits.h"
#include "config_input/gather.h"
#include "upgrade_steps/steps.h"

namespace upgrade_steps {
namespace {

config_change::Gathered Look(UpgradeData& data, workflow::Context& context) {
  std::optional<patches::PatchSet> patches;
  if (!data.options.patches_directory.empty()) {
    patches = patches::ReadPatches(data.machine.files, data.options.patches_directory);
  }
  const config::Facts facts = config_input::GatherFacts(data.machine);
  return config_change::GatherNode({.host = data.machine,
                                    .client = data.Client(context),
                                    .facts = facts,
                                    .patches = patches ? &*patches : nullptr,
                                    .running = false});
}

}  // namespace

void UseAdoptedPatches(UpgradeData& data) {
  if (data.options.patches_directory.empty() &&
      data.machine.files.Exists(config_change::kAdoptedPatches)) {
    data.options.patches_directory = config_change::kAdoptedPatches;
  }
}

void WarnOfDrift(UpgradeData& data, workflow::Context& context) {
  if (data.upgrade_options.discard_drift) {
    return;
  }
  try {
    const config_change::Gathered gathered = Look(data, context);
    const std::vector<config_change::Difference> edits =
        config_change::EditsOf(gathered.components);
    for (const config_change::Difference& edit : edits) {
      context.Warn("changed by hand, and lost by this upgrade: " + config_change::Line(edit));
    }
    for (const std::string& what : gathered.unseen) {
      context.Warn("what was changed by hand there is not known: " + what);
    }
    if (!edits.empty()) {
      context.Print(
          "[upgrade/preflight] 'kubeadm drift --adopt' keeps such changes; the old files are kept "
          "in /etc/kubernetes/tmp");
    }
  } catch (const base::Error& error) {
    context.Warn("what was changed by hand is not known: " + error.message());
  }
}

}  // namespace upgrade_steps
