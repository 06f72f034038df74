#include <fmt/core.h>

#include <memory>

#include "base/error.h"
#include "base/strings.h"
#include "config/arguments.h"
#include "config/kubernetes_version.h"
#include "config/paths.h"
#include "config/version.h"
#include "config_input/gather.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/terminal.h"
#include "kubeadm/upgrade/config.h"
#include "kubeadm/upgrade/flags.h"
#include "kubeadm/upgrade/phases.h"
#include "kubeadm/workflow_command.h"
#include "static_pods/static_pod.h"

namespace kubeadm {
namespace {

using Command = UpgradeData::Command;

// The version that apply is to reach: an argument, else the configuration's.
std::string WantedVersion(const cli::Parsed& flags, const std::string& configured,
                          host::Host& host) {
  const std::string wanted = ChosenVersion(flags, configured);
  if (wanted.empty()) {
    throw base::Error(base::Error::Kind::kUsage,
                      "missing one or more required arguments. Required arguments: [version]");
  }
  return config::ResolveVersion(wanted, config_input::GatherFacts(host).fetch,
                                config::KubeadmVersion())
      .version;
}

// UpgradeApply and UpgradeNode name what they share alike.
template <typename Part>
void TakeShared(const Part& part, const cli::Parsed& flags, UpgradeData& data) {
  data.options.patches_directory = !flags.Text("patches").empty()
                                       ? flags.Text("patches")
                                       : (part.patches ? part.patches->directory : "");
  UseAdoptedPatches(data);
  data.upgrade_options.discard_drift = flags.Bool("discard-drift");
  data.upgrade_options.etcd = Chosen(flags, "etcd-upgrade", part.etcd_upgrade);
  data.upgrade_options.renew_certificates =
      Chosen(flags, "certificate-renewal", part.certificate_renewal);
  data.ignored_preflight_errors = config::IgnoredPreflightErrors(
      flags.List("ignore-preflight-errors"), part.ignore_preflight_errors);
  data.config.init.node_registration.image_pull_policy = part.image_pull_policy;
  data.config.init.node_registration.image_pull_serial = part.image_pull_serial;
}

void TakeApply(const config::UpgradeApply& apply, const cli::Parsed& flags, UpgradeData& data) {
  data.upgrade_options.force = Chosen(flags, "force", apply.force_upgrade);
  data.upgrade_options.yes = flags.Bool("yes");
  data.upgrade_options.print_config = Chosen(flags, "print-config", apply.print_config);
  data.upgrade_options.allowed = {
      .experimental =
          Chosen(flags, "allow-experimental-upgrades", apply.allow_experimental_upgrades),
      .release_candidates =
          Chosen(flags, "allow-release-candidate-upgrades", apply.allow_rc_upgrades)};
}

// A worker's kubelet may read what it needs; a control plane has its administrator's file.
std::string KubeconfigOf(const cli::Parsed& flags, Command command, host::Host& host) {
  if (command == Command::kApply || flags.Changed("kubeconfig")) {
    return flags.Text("kubeconfig");
  }
  const bool control_plane =
      host.files.Exists(components::ManifestPath(components::Component::kApiServer));
  return (fs::path(config::kKubernetesDir) /
          (control_plane ? config::kAdminConf : config::kKubeletConf))
      .string();
}

using Loaded = LoadedRun<UpgradeData>;

world::StandIn StandInOf(Command command) {
  return node_steps::StandInFor(
      "KUBEADM_UPGRADE_DRYRUN_DIR",
      command == Command::kApply ? "kubeadm-upgrade-apply-dryrun" : "kubeadm-upgrade-node-dryrun",
      {});
}

PreparedRun<UpgradeData> Prepare(cli::Invocation& invocation, Command command,
                                 const config::UpgradeConfiguration& upgrade, world::World& world) {
  const cli::Parsed& flags = invocation.flags;
  auto data = std::make_unique<UpgradeData>(command, world);
  data->timeouts = upgrade.timeouts;
  data->start = world.machine.clock.Now();
  data->options.kubeconfig_dir = fs::path(config::kKubernetesDir);
  data->options.kubeconfig = KubeconfigOf(flags, command, world.machine);
  data->confirm = Asking(invocation, world.machine);
  if (command == Command::kApply) {
    TakeShared(upgrade.apply, flags, *data);
    TakeApply(upgrade.apply, flags, *data);
  } else {
    TakeShared(upgrade.node, flags, *data);
  }
  return {.data = std::move(data)};
}

template <typename Part>
Loaded LoadedOf(const Part& part, const cli::Parsed& flags) {
  return {.selection = WithoutSkipped(flags, part.skip_phases),
          .ignored_checks = config::IgnoredPreflightErrors(flags.List("ignore-preflight-errors"),
                                                           part.ignore_preflight_errors),
          .dry_run = Chosen(flags, "dry-run", part.dry_run)};
}

Loaded Load(cli::Invocation& invocation, Command command, config::UpgradeConfiguration upgrade,
            host::Host& machine) {
  const cli::Parsed& flags = invocation.flags;
  Loaded run =
      command == Command::kApply ? LoadedOf(upgrade.apply, flags) : LoadedOf(upgrade.node, flags);
  std::string version;
  if (command == Command::kApply) {
    version = WantedVersion(flags, upgrade.apply.kubernetes_version, machine);
  }
  run.stand_in = StandInOf(command);
  run.prepare = [&invocation, command, upgrade = std::move(upgrade),
                 version = std::move(version)](world::World& world) {
    PreparedRun<UpgradeData> prepared = Prepare(invocation, command, upgrade, world);
    prepared.data->wanted_version = version;
    return prepared;
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
      "\n[upgrade] SUCCESS! The control plane of this node is at version {}\n\n[upgrade] Now "
      "upgrade the kubelet of this node, then the other nodes with 'kubeadm upgrade node'; "
      "'kubeadm upgrade rollback' undoes what this run did here",
      base::Quoted(data.wanted_version));
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
             return Load(invocation, which, read(invocation.flags, machine), machine);
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
  return MakeCommand(std::move(command), Command::kApply, cli::kAnyNumber, host);
}

cli::Command UpgradeNodeCommand(host::Host& host) {
  return MakeCommand(Documented("node", "Bring this node to the cluster's version", "upgrade-node"),
                     Command::kNode, 0, host);
}

}  // namespace kubeadm
