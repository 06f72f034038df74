// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm upgrade rollback`.
#include <fmt/core.h>

#include "base/error.h"
#include "base/version.h"
#include "config/paths.h"
#include "config/version.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/terminal.h"
#include "kubeadm/upgrade/config.h"
#include "kubeadm/upgrade/phases.h"
#include "kubeadm/workflow_command.h"
#include "steps/upgrade/steps.h"

namespace kubeadm {
namespace {

std::vector<UpgradePhase> Phases() {
  return {{.name = "rollback",
           .summary = "Undo the last upgrade of this node",
           .run = upgrade_steps::RollBack}};
}

// Returns the path of the kubeconfig file: --kubeconfig, or kubelet.conf on a worker, which has no
// admin.conf.
std::string KubeconfigOf(const cli::Parsed& flags, const host::Files& files) {
  const std::string& file = flags.Text("kubeconfig");
  return flags.Changed("kubeconfig") || files.Exists(file)
             ? file
             : (fs::path(config::kKubernetesDir) / config::kKubeletConf).string();
}

PreparedRun<UpgradeData> Prepare(cli::Invocation& invocation, steps::World& world) {
  auto data = std::make_unique<UpgradeData>(UpgradeData::Command::kNode, world);
  data->options.kubeconfig = KubeconfigOf(invocation.flags, world.machine.files);
  data->options.kubeconfig_dir = fs::path(config::kKubernetesDir);
  data->upgrade_options.yes = invocation.flags.Bool("yes");
  data->upgrade_options.renew_certificates = false;
  data->upgrade_options.with_data = invocation.flags.Bool("with-data");
  data->upgrade_options.only_to = invocation.flags.Text("only-to");
  data->start = world.machine.clock.Now();
  data->confirm = Asking(invocation, world.machine);
  return {.data = std::move(data)};
}

LoadedRun<UpgradeData> Load(cli::Invocation& invocation, host::Host&, const Scope&) {
  const std::string only_to = invocation.flags.Text("only-to");
  if (!only_to.empty() && !(only_to.starts_with('v') && base::Version::Parse(only_to))) {
    throw base::Error(base::Error::Kind::kUsage,
                      fmt::format("--only-to must be a version such as {}, is \"{}\"",
                                  config::kKubeadmVersion, only_to));
  }
  if (!invocation.flags.Bool("yes") && !invocation.flags.Bool("dry-run")) {
    RequireQuestionsAllowed(invocation.flags,
                            "confirm with --yes, or see with --dry-run what would be done");
  }
  return {.dry_run = invocation.flags.Bool("dry-run"),
          .prepare = [&invocation](steps::World& world) { return Prepare(invocation, world); }};
}

}  // namespace

cli::Command UpgradeRollbackCommand(host::Host& host) {
  cli::Command command =
      Documented("rollback", "Undo the last upgrade of this node", "upgrade-rollback");
  command.beyond_upstream = true;
  command.flags = Joined(CommonFlags({"dry-run", "kubeconfig", "output", "yes"}),
                         {TimelineFlag(),
                          LockTimeoutFlag(kRunPatience),
                          Switch("with-data",
                                 "Also restore etcd's data from the backup of before the upgrade: "
                                 "later writes are lost"),
                          {.name = "only-to",
                           .help = "Undo only an upgrade to this version; if the last one was to "
                                   "another version, change nothing"}});
  return Bound<UpgradeData>(
      std::move(command),
      {.phases = Phases,
       .phase_commands = false,
       .refuses_unprivileged = false,  // its phase reports a missing privilege
       .load = Load,
       .end_text =
           [](UpgradeData& data) {
             return data.upgrade_options.nothing_to_undo
                        ? "[upgrade/successful] Nothing was changed"
                        : "[upgrade/successful] The last upgrade of this node is undone";
           },
       .dry_run_end_text = [](UpgradeData&) { return kDryRunEnd; }},
      host);
}

}  // namespace kubeadm
