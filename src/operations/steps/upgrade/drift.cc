// SPDX-License-Identifier: Apache-2.0
// Manual changes that an upgrade would lose.
#include <fmt/core.h>

#include "base/error.h"
#include "config_change/edits.h"
#include "engine/backup_directory.h"
#include "node_input/config_facts.h"
#include "steps/upgrade/steps.h"

namespace upgrade_steps {
namespace {

constexpr std::string_view kEditsBackup = "kubeadm-backup-edits";

struct Look {
  config_change::Gathered gathered;
  std::vector<config_change::Difference> lost;
};

// Collects the manual edits. A field is not an edit if its value is the wanted value without the
// patches: in this case the patches are new or have changed.
Look LookAt(UpgradeData& data, workflow::Context& context) {
  const config::Facts facts = node_input::CollectFacts(data.machine);
  const auto gather = [&](const node_input::PatchSet* patches) {
    return config_change::CollectNode({.host = data.machine,
                                       .client = data.Client(context),
                                       .facts = facts,
                                       .patches = patches,
                                       .running = false});
  };
  if (data.options.patches_directory.empty()) {
    config_change::Gathered gathered = gather(nullptr);
    std::vector<config_change::Difference> lost = config_change::LostBy(gathered.components);
    return {std::move(gathered), std::move(lost)};
  }
  const node_input::PatchSet patches =
      node_input::ReadPatches(data.machine.files, data.options.patches_directory);
  Look look{.gathered = gather(&patches), .lost = {}};
  look.lost = config_change::LostBy(look.gathered.components);
  config_change::LeaveOut(look.lost, config_change::LostBy(gather(nullptr).components));
  return look;
}

// Returns whether to ask the user. `upgrade node` without a terminal does not ask, because scripts
// run it like upstream's command.
bool Asks(UpgradeData& data) {
  const UpgradeOptions& options = data.upgrade_options;
  return !options.lose_edits && !options.force && !control_plane::IsUnderWay(data.Record()) &&
         (data.command == UpgradeData::Command::kApply || data.machine.environment.HasTerminal());
}

// Removes the differences that the interrupted run has caused, because they are not manual edits.
void LeaveOutReplaced(std::vector<config_change::Difference>& edits,
                      const control_plane::UpgradeRecord& record) {
  std::erase_if(edits, [&](const config_change::Difference& edit) {
    return edit.component == "kubelet" ? record.writes_kubelet
                                       : record.under_way.contains(edit.component);
  });
}

void Keep(const config_change::Gathered& gathered, UpgradeData& data, workflow::Context& context) {
  data.world.Do({.on_machine = [&] {
    const fs::path directory = engine::MakeBackupDirectory(data.machine, kEditsBackup);
    config_change::KeepInForce(gathered.components, directory, data.machine.files);
    context.Print(
        fmt::format("[upgrade/preflight] A copy of the present settings is in {}; to keep manual "
                    "changes in force, run 'kubeadm drift --adopt' before an upgrade",
                    directory.string()));
  }});
}

}  // namespace

fs::path PatchesOrAdopted(const fs::path& given, const host::Files& files) {
  return given.empty() && files.Exists(config_change::kAdoptedPatches)
             ? fs::path(config_change::kAdoptedPatches)
             : given;
}

void UseAdoptedPatches(UpgradeData& data) {
  data.options.patches_directory =
      PatchesOrAdopted(data.options.patches_directory, data.machine.files);
}

void RequireLeave(UpgradeData& data, std::size_t edits) {
  data.world.Do({.on_machine = [&] {
    if (Asks(data) && !data.confirm(fmt::format("[upgrade/preflight] May {} be lost? [y/N]: ",
                                                edits == 1 ? "this change" : "these changes"))) {
      throw base::Error(
          "won't proceed: manual changes would be lost; nothing was changed. Keep them with "
          "'kubeadm drift --adopt', or discard them with --discard-drift");
    }
  }});
}

void HandleDrift(UpgradeData& data, workflow::Context& context) {
  if (data.upgrade_options.discard_drift) {
    return;
  }
  Look look;
  try {
    look = LookAt(data, context);
  } catch (const base::Error& error) {
    context.Warn("manual changes are unknown: " + error.message());
    return;
  }
  // In a resumed run, the user's consent to the first run still applies. The resumed run finds new
  // manifests of the first run next to old manifests.
  const bool goes_on = control_plane::IsUnderWay(data.Record());
  if (goes_on) {
    LeaveOutReplaced(look.lost, data.Record());
  }
  for (const std::string& what : look.gathered.unseen) {
    context.Warn("manual changes there are unknown: " + what);
  }
  for (const config_change::Difference& edit : look.lost) {
    context.Warn("manual change, lost by this upgrade: " + config_change::Line(edit));
  }
  if (!look.lost.empty() && !goes_on) {
    RequireLeave(data, look.lost.size());
    Keep(look.gathered, data, context);
  }
}

}  // namespace upgrade_steps
