// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm upgrade rollback`.
#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/terminal.h"
#include "kubeadm/upgrade/config.h"
#include "kubeadm/upgrade/phases.h"
#include "kubeadm/workflow_command.h"
#include "node_steps/steps.h"
#include "stored_config/upload.h"
#include "upgrade/backup.h"

namespace kubeadm {
namespace {

using base::Error;

void SayPlan(const upgrade::Record& record, workflow::Context& context) {
  context.Print(fmt::format("[upgrade/rollback] Undoing the upgrade from {} to {} on this node",
                            record.from, record.to));
  for (const auto& [component, directory] : record.manifests) {
    context.Print(fmt::format("[upgrade/rollback] {} comes back from {}", component, directory));
  }
  if (!record.kubelet_config.empty()) {
    context.Print(fmt::format("[upgrade/rollback] the kubelet's configuration comes back from {}",
                              record.kubelet_config));
  }
}

void PutBackKubeletConfig(const upgrade::Record& record, UpgradeData& data,
                          workflow::Context& context) {
  if (record.kubelet_config.empty()) {
    return;
  }
  upgrade::PutBackKubeletConfig(record, data.host.files);
  context.Print(
      "[upgrade/rollback] Put back the kubelet's configuration; restart the kubelet, of the old "
      "version, to use it");
}

// What apply has told the cluster. CoreDNS stays: it serves older versions as well.
void PutBackCluster(const upgrade::Record& record, UpgradeData& data, workflow::Context& context) {
  if (record.command != "apply") {
    return;
  }
  data.config.cluster.kubernetes_version = record.from;
  context.Print(
      fmt::format("[upgrade/rollback] The cluster's configuration names {} again", record.from));
  stored_config::UploadKubeadmConfig(data.Client(context), data.config.cluster);
  if (!data.config.cluster.proxy.disabled) {
    ApplyKubeProxy(data, context);
  }
}

void PutBack(const upgrade::Record& record, UpgradeData& data, workflow::Context& context) {
  if (!data.upgrade_options.yes &&
      !data.confirm("[upgrade] Are you sure you want to proceed? [y/N]: ")) {
    throw Error("the user has not answered with yes; nothing was changed");
  }
  data.LoadCluster(context);
  data.Record() = record;
  UndoUpgrade(data, context);
  PutBackKubeletConfig(record, data, context);
  PutBackCluster(record, data, context);
  upgrade::RemoveRecord(data.host.files);
}

void RollBack(UpgradeData& data, workflow::Context& context) {
  data.world.Do({.act = [&] { CheckRoot(data, context); }});
  const upgrade::Record record = upgrade::LastUpgrade(data.machine.files);
  SayPlan(record, context);
  data.world.Do({.act = [&] { PutBack(record, data, context); }});
}

std::vector<UpgradePhase> Phases() {
  return {{.name = "rollback", .summary = "Undo the last upgrade of this node", .run = RollBack}};
}

PreparedRun<UpgradeData> Prepare(cli::Invocation& invocation, world::World& world) {
  auto data = std::make_unique<UpgradeData>(UpgradeData::Command::kNode, world);
  data->options.kubeconfig = invocation.flags.Text("kubeconfig");
  data->options.kubeconfig_dir = fs::path(config::kKubernetesDir);
  data->upgrade_options.yes = invocation.flags.Bool("yes");
  data->upgrade_options.renew_certificates = false;
  data->start = world.machine.clock.Now();
  data->confirm = Asking(invocation, world.machine);
  return {.data = std::move(data)};
}

LoadedRun<UpgradeData> Load(cli::Invocation& invocation, host::Host&, const Scope&) {
  return {.dry_run = invocation.flags.Bool("dry-run"),
          .prepare = [&invocation](world::World& world) { return Prepare(invocation, world); }};
}

}  // namespace

cli::Command UpgradeRollbackCommand(host::Host& host) {
  cli::Command command =
      Documented("rollback", "Undo the last upgrade of this node", "upgrade-rollback");
  command.beyond_upstream = true;
  command.flags = Joined(CommonFlags({"dry-run", "kubeconfig", "output", "yes"}),
                         {TimelineFlag(), LockTimeoutFlag(kRunPatience)});
  return Bound<UpgradeData>(
      std::move(command),
      {.phases = Phases,
       .phase_commands = false,
       .refuses_unprivileged = false,  // its phase says so itself
       .load = Load,
       .end_text =
           [](UpgradeData&) {
             return "[upgrade/successful] The last upgrade of this node is undone";
           },
       .dry_run_end_text = [](UpgradeData&) { return kDryRunEnd; }},
      host);
}

}  // namespace kubeadm
