// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/prepare.h"

#include "base/error.h"
#include "components/table.h"
#include "config/arguments.h"
#include "config/kubernetes_version.h"
#include "config/paths.h"
#include "config/version.h"
#include "kubeadm/command_line.h"
#include "kubeadm/terminal.h"
#include "kubeadm/upgrade/config.h"
#include "kubeadm/upgrade/path_question.h"
#include "node_input/config_facts.h"
#include "steps/upgrade/steps.h"

namespace kubeadm {
namespace {

using Command = UpgradeData::Command;

// Reads the fields that UpgradeApply and UpgradeNode have in common, under the same names.
template <typename Part>
void TakeShared(const Part& part, const cli::Parsed& flags, UpgradeData& data) {
  data.options.patches_directory = PatchesDirectory(flags, part.patches);
  upgrade_steps::UseAdoptedPatches(data);
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
  data.upgrade_options.backup = !flags.Bool("no-backup");
  // Separate from `yes`: `upgrade apply --path` asks once, and then sets `yes` for every hop.
  // Manual edits may be lost without a question only if the user has set --yes.
  data.upgrade_options.lose_edits = flags.Bool("yes");
  data.upgrade_options.print_config = Chosen(flags, "print-config", apply.print_config);
  data.upgrade_options.allowed = {
      .experimental =
          Chosen(flags, "allow-experimental-upgrades", apply.allow_experimental_upgrades),
      .release_candidates =
          Chosen(flags, "allow-release-candidate-upgrades", apply.allow_rc_upgrades)};
}

// Returns the kubeconfig. A control-plane node has admin.conf. A worker uses the kubelet's file,
// because the kubelet may read the needed objects.
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

}  // namespace

std::string WantedVersion(const cli::Parsed& flags, const std::string& configured,
                          host::Host& host) {
  const std::string wanted = ChosenVersion(flags, configured);
  if (wanted.empty()) {
    throw base::Error(base::Error::Kind::kUsage,
                      "missing one or more required arguments. Required arguments: [version]");
  }
  return config::ResolveVersion(wanted, node_input::CollectFacts(host).fetch,
                                config::KubeadmVersion())
      .version;
}

void RequireUpgradeConsentByFlags(const cli::Parsed& flags, const config::UpgradeApply& apply) {
  if (!flags.Bool("yes") && !Chosen(flags, "force", apply.force_upgrade)) {
    RequireQuestionsAllowed(flags, "confirm with --yes, or see with --dry-run what would be done");
  }
}

std::unique_ptr<UpgradeData> PrepareUpgrade(cli::Invocation& invocation,
                                            UpgradeData::Command command,
                                            const config::UpgradeConfiguration& upgrade,
                                            steps::World& world) {
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
    data->upgrade_options.lose_edits = PrintsEvents(flags);  // events leave no place for a question
    TakeKubelets(flags, world.machine, data->upgrade_options);
  }
  return data;
}

}  // namespace kubeadm
