// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>

#include "base/strings.h"
#include "config/arguments.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/upgrade/config.h"
#include "kubeadm/upgrade/flags.h"
#include "kubeadm/upgrade/path.h"
#include "kubeadm/upgrade/path_question.h"
#include "kubeadm/upgrade/phases.h"
#include "kubeadm/upgrade/prepare.h"
#include "kubeadm/workflow_command.h"

namespace kubeadm {
namespace {

using Command = UpgradeData::Command;

using Loaded = LoadedRun<UpgradeData>;

steps::StandIn StandInOf(Command command) {
  return node_steps::StandInFor(
      "KUBEADM_UPGRADE_DRYRUN_DIR",
      command == Command::kApply ? "kubeadm-upgrade-apply-dryrun" : "kubeadm-upgrade-node-dryrun",
      {});
}

template <typename Part>
Loaded LoadedOf(const Part& part, const cli::Parsed& flags) {
  return {.selection = WithoutSkipped(flags, part.skip_phases),
          .ignored_checks = config::IgnoredPreflightErrors(flags.List("ignore-preflight-errors"),
                                                           part.ignore_preflight_errors),
          .dry_run = Chosen(flags, "dry-run", part.dry_run)};
}

Loaded Load(cli::Invocation& invocation, Command command, config::UpgradeConfiguration upgrade,
            host::Host& machine, const Scope& scope) {
  const cli::Parsed& flags = invocation.flags;
  Loaded run =
      command == Command::kApply ? LoadedOf(upgrade.apply, flags) : LoadedOf(upgrade.node, flags);
  std::string version;
  if (command == Command::kApply) {
    if (!scope.phase && !run.dry_run &&
        Includes(UpgradeApplyPhases(), run.selection, "preflight")) {
      RequireUpgradeConsentByFlags(flags, upgrade.apply);
    }
    version = WantedVersion(flags, upgrade.apply.kubernetes_version, machine);
  }
  run.stand_in = StandInOf(command);
  run.prepare = [&invocation, command, whole = !scope.phase, upgrade = std::move(upgrade),
                 version = std::move(version)](steps::World& world) {
    std::unique_ptr<UpgradeData> data = PrepareUpgrade(invocation, command, upgrade, world);
    data->wanted_version = version;
    if (whole) {
      data->CheckPatches();
    }
    return PreparedRun<UpgradeData>{.data = std::move(data)};
  };
  return run;
}

std::vector<UpgradePhase> PhasesOf(Command command) {
  return command == Command::kApply ? UpgradeApplyPhases() : UpgradeNodePhases();
}

std::optional<std::string> EndText(UpgradeData& data) {
  if (data.command == Command::kNode) {
    return std::nullopt;
  }
  return fmt::format(
      "\n{}\n\n[upgrade] Now upgrade the kubelet of this node, then the other nodes with 'kubeadm "
      "upgrade node'; 'kubeadm upgrade rollback' undoes what this run did here",
      SuccessLine(data.wanted_version));
}

cli::Command MakeCommand(cli::Command command, Command which, int max_args, host::Host& host) {
  command.max_args = max_args;
  command.flags = UpgradeRunFlags(which);
  return Bound<UpgradeData>(
      std::move(command),
      {.phases = [which] { return PhasesOf(which); },
       .phase_flags = [which] { return UpgradePhaseFlags(which); },
       .max_phase_args = max_args,
       .load =
           [which](cli::Invocation& invocation, host::Host& machine, const Scope& scope) {
             const auto read = scope.phase ? ReadUpgradeConfig : LoadUpgradeConfig;
             return Load(invocation, which, read(invocation.flags, machine), machine, scope);
           },
       .end_text = EndText,
       .dry_run_end_text = [](UpgradeData&) { return kDryRunEnd; }},
      host);
}

}  // namespace

cli::Command UpgradeApplyCommand(host::Host& host) {
  cli::Command command = Documented(
      "apply", "Bring the cluster, and this control plane, to a version", "upgrade-apply");
  command.usage_args = "[version]";
  command = MakeCommand(std::move(command), Command::kApply, cli::kAnyNumber, host);
  command.run = [&host, one = std::move(command.run)](cli::Invocation& invocation) {
    if (WantsPath(invocation.flags)) {
      ApplyPath(invocation, host);
    } else {
      one(invocation);
    }
  };
  return command;
}

cli::Command UpgradeNodeCommand(host::Host& host) {
  return MakeCommand(Documented("node", "Bring this node to the cluster's version", "upgrade-node"),
                     Command::kNode, 0, host);
}

}  // namespace kubeadm
