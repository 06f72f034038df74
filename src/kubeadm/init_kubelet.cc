// Phases `kubelet-start` and `kubelet-finalize`.
#include <fmt/core.h>

#include "base/strings.h"
#include "config/feature_gates.h"
#include "config/paths.h"
#include "kubeadm/init_phases.h"
#include "kubeadm/texts_init.h"
#include "kubeadm/written_files.h"
#include "kubelet/finalize.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "kubelet/service.h"

namespace kubeadm {
namespace {

using kubelet::ServiceResult;

void SayTrouble(const ServiceResult& result, const char* wish, workflow::Context& context) {
  switch (result.outcome) {
    case ServiceResult::Outcome::kDone:
      return;
    case ServiceResult::Outcome::kNoInitSystem:
      context.Print(fmt::format(
          "[kubelet-start] No init system that kubeadm knows: {} the kubelet yourself", wish));
      return;
    case ServiceResult::Outcome::kFailed:
      context.Warn(fmt::format("could not {} the kubelet: {}", wish, result.problem));
  }
}

void WriteFlags(InitData& data, host::Files& files, workflow::Context& context) {
  const bool local_socket =
      config::GateEnabled(data.config.cluster.feature_gates, config::kNodeLocalCriSocket);
  using CriSocket = kubelet::FlagsInput::CriSocket;
  const config::Args flags = kubelet::Flags(
      {.registration = data.config.init.node_registration,
       .hostname = data.machine.machine.Hostname(),
       .cri_socket = local_socket ? CriSocket::kInInstanceConfig : CriSocket::kByFlag});
  context.Print(fmt::format("[kubelet-start] Writing the kubelet's arguments to file {}",
                            base::Quoted(files.Location(kubelet::kFlagsFile).string())));
  kubelet::WriteFlagsFile(files, flags);
  if (local_socket) {
    context.Print(fmt::format("[kubelet-start] Writing the kubelet's configuration to file {}",
                              base::Quoted(files.Location(kubelet::kInstanceConfigFile).string())));
    kubelet::WriteInstanceConfig(files, data.config.init.node_registration.cri_socket);
  }
}

void WriteConfig(InitData& data, host::Files& files, workflow::Context& context) {
  const bool local_socket =
      config::GateEnabled(data.config.cluster.feature_gates, config::kNodeLocalCriSocket);
  const kubelet::NodeConfig config = kubelet::MakeNodeConfig(
      data.host, data.config.cluster.kubelet.value, data.Patches(context),
      local_socket ? kubelet::UseInstanceConfig::kYes : kubelet::UseInstanceConfig::kNo);
  for (const manifests::AppliedPatch& applied : config.applied) {
    context.Print(AppliedPatchLine(applied));
  }
  context.Print(fmt::format("[kubelet-start] Writing the kubelet's configuration to file {}",
                            base::Quoted(files.Location(kubelet::kConfigFile).string())));
  kubelet::WriteNodeConfig(files, config.value);
}

}  // namespace

void StartKubelet(InitData& data, workflow::Context& context) {
  if (!data.options.dry_run) {
    SayTrouble(kubelet::StopKubelet(data.host), "stop", context);
  }
  WrittenFiles files(data.host.files, context);
  WriteFlags(data, files, context);
  WriteConfig(data, files, context);
  if (!data.options.dry_run) {
    context.Print("[kubelet-start] Starting the kubelet");
    SayTrouble(kubelet::StartKubelet(data.host), "start", context);
  }
}

void EnableClientCertRotation(InitData& data, workflow::Context& context) {
  const std::string pem = kubelet::RotatedCertificate(data.config.init.node_registration).string();
  const std::string line = fmt::format(
      "[kubelet-finalize] Pointing {} to the client certificate that the kubelet renews",
      base::Quoted(data.host.files.Location(fs::path(config::kKubernetesDir) / config::kKubeletConf)
                       .string()));
  if (data.options.dry_run) {
    context.Print(line);
    return;
  }
  if (!data.host.files.Exists(pem)) {
    return;
  }
  context.Print(line);
  const kubelet::FinalizeResult result =
      kubelet::Finalize(data.host, data.config.init.node_registration);
  SayTrouble(result.restart, "restart", context);
}

}  // namespace kubeadm
