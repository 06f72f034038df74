// SPDX-License-Identifier: Apache-2.0
#include "fleet/node_commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "base/version.h"
#include "fleet/on_host.h"
#include "releases/releases.h"

namespace fleet {
namespace {

using base::Version;

using Arguments = std::vector<std::string>;

Arguments WithOptions(Arguments arguments, const UpgradeAction& upgrade) {
  if (!upgrade.ignore_preflight_errors.empty()) {
    arguments.push_back("--ignore-preflight-errors=" +
                        base::Join(upgrade.ignore_preflight_errors, ","));
  }
  if (!upgrade.kubelet_command.empty()) {
    arguments.push_back("--upgrade-kubelet-command=" + upgrade.kubelet_command);
  }
  if (!upgrade.kubelet_image.empty()) {
    arguments.emplace_back(kKubeletsArgument);
  }
  return arguments;
}

// Adds the options for the first control plane, which decides the version.
Arguments WithVersionOptions(Arguments arguments, const UpgradeAction& upgrade) {
  if (upgrade.allow_experimental_upgrades) {
    arguments.emplace_back("--allow-experimental-upgrades");
  }
  return WithOptions(std::move(arguments), upgrade);
}

// Returns the versions through which the control plane is upgraded: the newest known patch of each
// minor version between `from` and `target`, and then `target`.
std::vector<Version> Hops(std::string_view from, const Version& target) {
  std::vector<Version> hops;
  const auto begin = Version::ParseGeneric(from);
  for (const releases::Release& release : releases::All()) {
    if (begin && release.minor > begin->minor && release.minor < target.minor) {
      hops.push_back(Version::Parse(release.version).value());
    }
  }
  hops.push_back(target);
  return hops;
}

// Returns the round that upgrades the control plane to a version. `by_path` adds --path to the
// command, whose check requires a healthy control plane. It is set if the upgrade has several
// rounds, or if the kubelet is upgraded, too.
Round UpgradeRound(const ClusterOperation& operation, const Version& version, bool by_path) {
  const UpgradeAction& upgrade = *operation.spec.upgrade;
  Arguments rollback;
  if (operation.spec.rollback == Rollback::kNode) {
    rollback = {"upgrade", "rollback", "--yes", "--only-to=" + version.TextWithV()};
  }
  Arguments first = {"upgrade", "apply", version.TextWithV(), "--yes"};
  if (by_path) {
    first.emplace_back("--path");
  }
  return {.step = {},
          .title = {},
          .drains = operation.Drains(),
          .shares_key = false,
          .pause = {},
          .first = WithVersionOptions(std::move(first), upgrade),
          .control_planes = WithOptions({"upgrade", "node"}, upgrade),
          .workers = {},
          .rollback = std::move(rollback)};
}

std::vector<Round> PathRounds(const ClusterOperation& operation, const Version& target,
                              const std::vector<Version>& hops) {
  const UpgradeAction& upgrade = *operation.spec.upgrade;
  std::vector<Round> rounds = {
      {.step = "check",
       .title = "checks of the path to " + target.TextWithV(),
       .drains = false,
       .shares_key = false,
       .pause = {},
       .first = WithVersionOptions({"upgrade", "plan", target.TextWithV(), "--path", "--check"},
                                   upgrade),
       .control_planes = {},
       .workers = {}}};
  int workers = hops.front().minor - 1;  // the minor version of the oldest kubelets
  for (std::size_t i = 0; i < hops.size(); ++i) {
    Round round = UpgradeRound(operation, hops[i], true);
    round.step = fmt::format("v{}-{}", hops[i].major, hops[i].minor);
    round.title = "to " + hops[i].TextWithV();
    const bool last = i + 1 == hops.size();
    if (last || workers < releases::OldestKubelet(hops[i + 1]).minor) {
      round.workers = round.control_planes;
      workers = hops[i].minor;
    }
    rounds.push_back(std::move(round));
  }
  return rounds;
}

// Returns the only round of an upgrade of nodes whose cluster is upgraded by another controller.
Round NodesRound(const ClusterOperation& operation, const Version& target) {
  Round round = UpgradeRound(operation, target, false);
  round.control_planes.emplace_back("--skip-phases=addon");
  round.first = round.control_planes;
  round.workers = round.control_planes;
  return round;
}

std::vector<Round> UpgradeRounds(const ClusterOperation& operation, std::string_view from) {
  const UpgradeAction& upgrade = *operation.spec.upgrade;
  const Version target = Version::Parse(upgrade.version).value();
  if (upgrade.nodes_only) {
    return {NodesRound(operation, target)};
  }
  const std::vector<Version> hops = Hops(from, target);
  if (hops.size() > 1) {
    return PathRounds(operation, target, hops);
  }
  Round round = UpgradeRound(operation, target, upgrade.UpgradesKubelets());
  round.workers = round.control_planes;
  if (from == upgrade.version) {
    // The rollback would undo an earlier upgrade to this version.
    round.rollback.clear();
  }
  return {std::move(round)};
}

// Returns the round with the same command on all nodes, or on control planes only.
Round CommonRound(const ClusterOperation& operation, const Arguments& arguments, bool on_workers) {
  return {.step = {},
          .title = {},
          .drains = operation.Drains(),
          .shares_key = false,
          .pause = {},
          .first = arguments,
          .control_planes = arguments,
          .workers = on_workers ? arguments : Arguments{}};
}

Round RenewRound(const ClusterOperation& operation) {
  Arguments arguments = {"certs", "renew", "all", "--restart"};
  const std::string& period = operation.spec.renew_certificates->if_expires_within;
  if (!period.empty()) {
    arguments.push_back("--if-expires-within=" + period);
  }
  return CommonRound(operation, arguments, false);
}

// The first control-plane node stores the change in the cluster; every other node applies the
// stored configuration. On workers only the kubelet's part is applied.
Round ConfigRound(const ClusterOperation& operation) {
  const Arguments& settings = operation.spec.config_apply->set;
  const bool on_workers = std::ranges::any_of(
      settings, [](const std::string& setting) { return setting.starts_with("kubelet."); });
  Round round = CommonRound(operation, {"config", "apply", "node", "--yes"}, on_workers);
  round.first = {"config", "apply", "--yes"};
  for (const std::string& setting : settings) {
    round.first.push_back("--set=" + setting);
  }
  return round;
}

// Each step is a round. The first control-plane node creates the new authority. It uploads the
// authority if other control-plane nodes exist.
std::vector<Round> RotationRounds(const ClusterOperation& operation) {
  const RotateAction& rotation = *operation.spec.rotate_ca;
  std::vector<Round> rounds;
  for (const char* step : {"trust", "reissue", "drop"}) {
    Round round = CommonRound(
        operation, {"certs", "rotate-ca", rotation.authority, fmt::format("--step={}", step)},
        rotation.authority == "kubernetes");
    round.step = step;
    round.title = fmt::format("step {}", step);
    rounds.push_back(std::move(round));
  }
  rounds[0].first.emplace_back("--again");
  rounds[0].shares_key = true;
  rounds[1].pause = rotation.DropAfter();
  return rounds;
}

Round BackupRound(const ClusterOperation& operation) {
  const BackupAction& backup = *operation.spec.backup;
  Round round = CommonRound(operation, {}, false);
  round.first = {"backup", "create", backup.destination};
  for (const std::string& recipient : backup.recipients) {
    round.first.push_back("--recipient=" + recipient);
  }
  return round;
}

Round RebootRound(const ClusterOperation& operation) {
  Arguments arguments = {"fleet", "host-reboot", "--id=" + operation.name + operation.uid};
  if (operation.spec.reboot->if_required) {
    arguments.emplace_back("--if-required");
  }
  return CommonRound(operation, arguments, true);
}

Round RecoverRound(const ClusterOperation& operation) {
  Arguments arguments = {"node", "recover"};
  if (operation.spec.recover->force) {
    arguments.emplace_back("--force");
  }
  return CommonRound(operation, arguments, true);
}

}  // namespace

std::vector<Round> PlanRounds(const ClusterOperation& operation, std::string_view from) {
  const OperationSpec& spec = operation.spec;
  if (spec.upgrade) {
    return UpgradeRounds(operation, from);
  }
  if (spec.config_apply) {
    return {ConfigRound(operation)};
  }
  if (spec.rotate_ca) {
    return RotationRounds(operation);
  }
  if (spec.backup) {
    return {BackupRound(operation)};
  }
  if (spec.recover) {
    return {RecoverRound(operation)};
  }
  return {spec.reboot ? RebootRound(operation) : RenewRound(operation)};
}

}  // namespace fleet
