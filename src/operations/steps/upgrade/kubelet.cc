// SPDX-License-Identifier: Apache-2.0
// This node's kubelet: its configuration, its arguments and the API server that it uses.
#include <fmt/core.h>

#include "base/strings.h"
#include "config/feature_gates.h"
#include "config/paths.h"
#include "engine/backup_directory.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "kubelet/service.h"
#include "releases/releases.h"
#include "steps/node/steps.h"
#include "steps/upgrade/steps.h"
#include "upgrade/kept_config.h"
#include "upgrade/kubelet_conf.h"
#include "workflow/written_files.h"

namespace upgrade_steps {
namespace {

// Saves the old configuration of the kubelet, for a rollback.
void KeepKubeletConfig(const fs::path& directory, UpgradeData& data, workflow::Context& context) {
  upgrade::KeepKubeletConfig(data.host.files, directory, data.Record());
  context.Print(
      fmt::format("[upgrade/kubelet-config] The kubelet's old configuration is kept in {}",
                  directory.string()));
}

void WriteSocket(UpgradeData& data, workflow::Context& context) {
  const fs::path file(kubelet::kInstanceConfigFile);
  workflow::WrittenFiles files(data.host.files, context);
  context.Print(fmt::format("[kubelet-start] Writing the kubelet's configuration to file {}",
                            base::Quoted(data.host.files.Location(file).string())));
  kubelet::WriteInstanceConfig(files, data.config.init.node_registration.cri_socket);
  data.world.Show({file}, context);
}

// Removes an obsolete argument of the kubelet from kubeadm-flags.env.
void TakeArgument(std::string_view name, UpgradeData& data, workflow::Context& context) {
  const fs::path file(kubelet::kFlagsFile);
  const auto text = data.host.files.Find(file);
  const auto taken = text ? kubelet::TakeFlag(*text, name) : std::nullopt;
  if (!taken) {
    return;
  }
  for (const std::string& word : taken->dropped) {
    context.Warn(fmt::format("{} in {} is not an argument with a value: dropped",
                             base::Quoted(word), file.string()));
  }
  context.Print(fmt::format("[upgrade/kubelet-config] Taking --{} out of {}", name,
                            base::Quoted(file.string())));
  kubelet::WriteFlagsFile(data.host.files, taken->rest);
}

void AddSocket(UpgradeData& data, workflow::Context& context) {
  context.Warn(fmt::format(
      "this node lacks {}, from which its kubelet reads the container runtime's socket; the file "
      "is written with {}: check that this is right",
      kubelet::kInstanceConfigFile, base::Quoted(data.config.init.node_registration.cri_socket)));
  WriteSocket(data, context);
}

// The argument is removed last. The kubelet uses the argument until its configuration names the
// socket, so an interruption between the two writes does no harm.
void WriteConfigWithSocket(UpgradeData& data, workflow::Context& context) {
  if (data.machine.files.Exists(fs::path(kubelet::kInstanceConfigFile))) {
    data.world.Do({.in_dry_run = [&] { WriteSocket(data, context); }});
    WriteKubeletConfig(data, context);
    return;
  }
  AddSocket(data, context);
  WriteKubeletConfig(data, context);
  data.world.Do(
      {.on_machine = [&] { TakeArgument(kubelet::kRuntimeEndpointFlag, data, context); }});
}

void LeadToOwnServer(const kube::Kubeconfig& conf, UpgradeData& data, workflow::Context& context) {
  const fs::path path = fs::path(config::kKubernetesDir) / config::kKubeletConf;
  const std::string& own = conf.CurrentCluster()->server;
  const auto lead = [&] {
    context.Print(
        fmt::format("[upgrade/kubeconfig] Pointing {} to {}", base::Quoted(path.string()), own));
    data.host.files.Write(path, conf.Text(), {.mode = 0600});
    node_steps::SayServiceTrouble(kubelet::RestartKubelet(data.host), "restart", context);
  };
  data.world.Do({.on_machine = lead,
                 .in_dry_run = steps::Would(
                     context, {fmt::format("[dryrun] Would point {} to {}, and restart the "
                                           "kubelet",
                                           path.string(), own)})});
}

}  // namespace

void UpgradeKubeconfig(UpgradeData& data, workflow::Context& context) {
  if (!data.ControlPlane()) {
    context.Print("[upgrade/kubeconfig] Skipping phase: this node has no control plane");
    return;
  }
  data.LoadCluster(context);
  if (const auto conf = upgrade::OwnServerConf(data.host.files, data.config)) {
    LeadToOwnServer(*conf, data, context);
  }
}

void UpgradeKubeletConfig(UpgradeData& data, workflow::Context& context) {
  data.LoadCluster(context);
  const fs::path directory = engine::MakeBackupDirectory(data.host, upgrade::kKubeletConfigBackup);
  const fs::path kept =
      data.host.files.Location(directory) / fs::path(kubelet::kConfigFile).filename();
  data.world.Do({.on_machine = [&] { KeepKubeletConfig(directory, data, context); },
                 .in_dry_run = steps::Would(
                     context, {fmt::format("[dryrun] Would keep the kubelet's configuration in {}",
                                           kept.string())})});
  if (config::SocketIsLocal(data.config.cluster)) {
    WriteConfigWithSocket(data, context);
  } else {
    WriteKubeletConfig(data, context);
  }
  data.world.Show({fs::path(kubelet::kConfigFile)}, context);
  context.Print("[upgrade/kubelet-config] The kubelet's configuration is that of the new version");
}

void PostUpgrade(UpgradeData& data, workflow::Context& context) {
  data.world.Do({.on_machine = [&] {
    data.LoadCluster(context);
    if (!data.Record().manifests.empty() && !data.upgrade_options.settles_later) {
      WaitForMirrors(data, context);
    }
    if (!releases::For(data.config.cluster.kubernetes_version).pod_infra_flag) {
      TakeArgument(kubelet::kPodInfraImageFlag, data, context);
    }
    data.Record().complete = true;
    if (data.command == UpgradeData::Command::kApply) {
      data.Record().patches = upgrade::KeepProxyPatches(data.host, data.options.patches_directory);
    }
    control_plane::NoteWritten(data.host.files, data.Record());
    control_plane::SaveRecord(data.host.files, data.Record());
  }});
}

}  // namespace upgrade_steps
