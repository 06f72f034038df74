// Phases `kubeconfig`, `kubelet-config` and `post-upgrade` of upgrade.
#include <fmt/core.h>

#include "base/strings.h"
#include "config/feature_gates.h"
#include "config/paths.h"
#include "kubeadm/node_steps.h"
#include "kubeadm/upgrade/phases.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "kubelet/service.h"
#include "node_objects/node.h"
#include "upgrade/backup.h"
#include "upgrade/kubelet_conf.h"
#include "workflow/written_files.h"

namespace kubeadm {
namespace {

// The old configuration, for the way back.
void KeepKubeletConfig(const fs::path& folder, UpgradeData& data, workflow::Context& context) {
  upgrade::KeepKubeletConfig(data.host.files, folder, data.Record());
  context.Print(fmt::format(
      "[upgrade/kubelet-config] The kubelet's old configuration is kept in {}", folder.string()));
}

void WriteSocket(const std::string& socket, UpgradeData& data, workflow::Context& context) {
  const fs::path file(kubelet::kInstanceConfigFile);
  workflow::WrittenFiles files(data.host.files, context);
  context.Print(fmt::format("[kubelet-start] Writing the kubelet's configuration to file {}",
                            base::Quoted(data.host.files.Location(file).string())));
  kubelet::WriteInstanceConfig(files, socket);
  data.world.Show({file}, context);
}

void SayTaken(const kubelet::TakenEndpoint& taken, workflow::Context& context) {
  for (const std::string& word : taken.dropped) {
    context.Warn(fmt::format("{} in {} is no argument with a value: dropped", base::Quoted(word),
                             kubelet::kFlagsFile));
  }
  context.Print(
      fmt::format("[upgrade/kubelet-config] Taking --container-runtime-endpoint out of {}",
                  base::Quoted(kubelet::kFlagsFile)));
}

// The socket that the kubelet was told by an argument; its place is instance-config.yaml since
// feature gate NodeLocalCRISocket.
void MoveSocket(UpgradeData& data, workflow::Context& context) {
  if (data.host.files.Exists(fs::path(kubelet::kInstanceConfigFile))) {
    return;
  }
  const auto taken =
      kubelet::TakeRuntimeEndpoint(data.host.files.Read(fs::path(kubelet::kFlagsFile)));
  if (taken) {
    SayTaken(*taken, context);
  }
  // Written before the argument goes: a run that is cut off between the two leaves both.
  WriteSocket(taken ? taken->endpoint : "", data, context);
  if (taken) {
    kubelet::WriteFlagsFile(data.host.files, taken->rest);
  }
}

void LeadToOwnServer(const kube::Kubeconfig& conf, UpgradeData& data, workflow::Context& context) {
  const fs::path path = fs::path(config::kKubernetesDir) / config::kKubeletConf;
  const std::string& own = conf.CurrentCluster()->server;
  const auto lead = [&] {
    context.Print(fmt::format("[upgrade/kubeconfig] Letting {} lead to {}",
                              base::Quoted(path.string()), own));
    data.host.files.Write(path, conf.Text(), {.mode = 0600});
    SayServiceTrouble(kubelet::RestartKubelet(data.host), "restart", context);
  };
  data.world.Do(
      {.act = lead,
       .show = Would(context, {fmt::format("[dryrun] Would let {} lead to {}, and restart the "
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
  const fs::path folder = upgrade::MakeBackupFolder(data.host, upgrade::kKubeletConfigBackup);
  const fs::path kept =
      data.host.files.Location(folder) / fs::path(kubelet::kConfigFile).filename();
  data.world.Do(
      {.act = [&] { KeepKubeletConfig(folder, data, context); },
       .show = Would(context, {fmt::format("[dryrun] Would keep the kubelet's configuration in {}",
                                           kept.string())})});
  const bool local_socket =
      config::GateEnabled(data.config.cluster.feature_gates, config::kNodeLocalCriSocket);
  if (local_socket) {
    data.world.Do(
        {.act = [&] { MoveSocket(data, context); },
         .show = [&] { WriteSocket(std::string(config::kContainerdSocket), data, context); }});
  }
  WriteKubeletConfig(data, context);
  data.world.Show({fs::path(kubelet::kConfigFile)}, context);
  if (local_socket) {
    node_objects::ForgetCriSocket(data.Client(context), data.config.init.node_registration.name);
  }
  context.Print("[upgrade/kubelet-config] The kubelet's configuration is that of the new version");
}

// The kubelets of all versions that this one upgrades from take all arguments that there are.
void PostUpgrade(UpgradeData& data, workflow::Context& context) {
  data.world.Do({.act = [&] {
    data.LoadCluster(context);
    data.Record().complete = true;
    upgrade::SaveRecord(data.host.files, data.Record());
  }});
}

}  // namespace kubeadm
