// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/strings.h"
#include "config/arguments.h"
#include "control_plane/record.h"
#include "control_plane/soak.h"
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

constexpr const char* kSoak = "soak";

// `apply` or `node`. `commit` is an `apply` of the version that soaks.
struct Verb {
  Command command;
  bool commits = false;
};

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

// Returns the version to commit: the version of the last `upgrade apply` on this node.
std::string AppliedVersion(const host::Files& files) {
  const auto record = control_plane::LoadRecord(files);
  if (!record || record->command != "apply") {
    throw base::Error(
        base::Error::Kind::kNotFound,
        "this node has no record of 'kubeadm upgrade apply --soak': run the command on "
        "the control-plane node where you ran that");
  }
  return record->to;
}

// Returns the wanted change of the soak. Single phases do not have the flag --soak.
upgrade_steps::Soak SoakOf(const Verb& verb, const cli::Parsed& flags) {
  if (verb.commits) {
    return upgrade_steps::Soak::kEnd;
  }
  return flags.Offers(kSoak) && flags.Bool(kSoak) ? upgrade_steps::Soak::kBegin
                                                  : upgrade_steps::Soak::kLeave;
}

Loaded Load(cli::Invocation& invocation, const Verb& verb, config::UpgradeConfiguration upgrade,
            host::Host& machine, const Scope& scope) {
  const Command command = verb.command;
  const cli::Parsed& flags = invocation.flags;
  Loaded run =
      command == Command::kApply ? LoadedOf(upgrade.apply, flags) : LoadedOf(upgrade.node, flags);
  std::string version;
  if (command == Command::kApply) {
    if (!scope.phase && !run.dry_run &&
        Includes(UpgradeApplyPhases(), run.selection, "preflight")) {
      RequireUpgradeConsentByFlags(flags, upgrade.apply);
    }
    version = verb.commits ? AppliedVersion(machine.files)
                           : WantedVersion(flags, upgrade.apply.kubernetes_version, machine);
  }
  run.stand_in = StandInOf(command);
  run.prepare = [&invocation, command, soak = SoakOf(verb, flags), whole = !scope.phase,
                 upgrade = std::move(upgrade), version = std::move(version)](steps::World& world) {
    std::unique_ptr<UpgradeData> data = PrepareUpgrade(invocation, command, upgrade, world);
    data->wanted_version = version;
    data->upgrade_options.soak = soak;
    if (soak == upgrade_steps::Soak::kEnd) {
      data->upgrade_options.allowed.experimental = true;  // the user allowed it when the soak began
    }
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
  std::string text = fmt::format(
      "\n{}\n\n[upgrade] Now upgrade the kubelet of this node, then the other nodes with 'kubeadm "
      "upgrade node'; 'kubeadm upgrade rollback' undoes this run on this node",
      SuccessLine(data.wanted_version));
  if (const auto emulated = control_plane::EmulatedVersion(data.config.cluster)) {
    text += fmt::format(
        "\n[upgrade] The control plane behaves as v{}.{}, and a rollback loses no write, until "
        "'kubeadm upgrade commit'",
        emulated->major, emulated->minor);
  }
  return text;
}

cli::Command MakeCommand(cli::Command command, const Verb& verb, int max_args, host::Host& host) {
  const Command which = verb.command;
  command.max_args = max_args;
  if (command.flags.empty()) {
    command.flags = UpgradeRunFlags(which);
  }
  return Bound<UpgradeData>(
      std::move(command),
      {.phases = [which] { return PhasesOf(which); },
       .phase_flags = [which] { return UpgradePhaseFlags(which); },
       .max_phase_args = max_args,
       .phase_commands = !verb.commits,
       .load =
           [verb](cli::Invocation& invocation, host::Host& machine, const Scope& scope) {
             const auto read = scope.phase ? ReadUpgradeConfig : LoadUpgradeConfig;
             return Load(invocation, verb, read(invocation.flags, machine), machine, scope);
           },
       .end_text = EndText,
       .dry_run_end_text = [](UpgradeData&) { return kDryRunEnd; }},
      host);
}

void RefuseSoak(const cli::Parsed& flags) {
  if (flags.Bool(kSoak)) {
    throw base::Error(
        base::Error::Kind::kUsage,
        "--soak and --path exclude each other: upgrade by one minor version, and commit "
        "it before the next");
  }
}

}  // namespace

cli::Command UpgradeApplyCommand(host::Host& host) {
  cli::Command command = Documented(
      "apply", "Bring the cluster, and this control plane, to a version", "upgrade-apply");
  command.usage_args = "[version]";
  command = MakeCommand(std::move(command), {Command::kApply}, cli::kAnyNumber, host);
  command.run = [&host, one = std::move(command.run)](cli::Invocation& invocation) {
    if (WantsPath(invocation.flags)) {
      RefuseSoak(invocation.flags);
      ApplyPath(invocation, host);
    } else {
      one(invocation);
    }
  };
  return command;
}

cli::Command UpgradeNodeCommand(host::Host& host) {
  return MakeCommand(Documented("node", "Bring this node to the cluster's version", "upgrade-node"),
                     {Command::kNode}, 0, host);
}

cli::Command UpgradeCommitCommand(host::Host& host) {
  cli::Command command =
      Documented("commit", "End the time in which an upgrade can be rolled back without loss",
                 "upgrade-commit");
  command.beyond_upstream = true;
  command.flags = UpgradeRunFlags(Command::kApply);
  const std::vector<cli::Flag> others = Joined(PathFlags(), UpgradeFlags({kSoak}));
  std::erase_if(command.flags, [&](const cli::Flag& flag) {
    return std::ranges::contains(others, flag.name, &cli::Flag::name);
  });
  return MakeCommand(std::move(command), {.command = Command::kApply, .commits = true}, 0, host);
}

}  // namespace kubeadm
