// SPDX-License-Identifier: Apache-2.0
// Steps about the kubelet's files and service.
#include <fmt/core.h>

#include "base/strings.h"
#include "config/feature_gates.h"
#include "kubelet/node_config.h"
#include "node_input/patch_lines.h"
#include "steps/node/steps.h"
#include "workflow/written_files.h"

namespace node_steps {
namespace {

using kubelet::ServiceResult;

bool SocketIsLocal(const NodeData& data) { return config::SocketIsLocal(data.config.cluster); }

}  // namespace

void SayServiceTrouble(const ServiceResult& result, const char* verb, workflow::Context& context) {
  switch (result.outcome) {
    case ServiceResult::Outcome::kDone:
      return;
    case ServiceResult::Outcome::kNoInitSystem:
      context.Print(fmt::format(
          "[kubelet-start] No init system that kubeadm knows: {} the kubelet yourself", verb));
      return;
    case ServiceResult::Outcome::kNoService:
      context.Print(fmt::format(
          "[kubelet-start] There is no service of the kubelet: {} the kubelet yourself", verb));
      return;
    case ServiceResult::Outcome::kFailed:
      context.Warn(fmt::format("could not {} the kubelet: {}", verb, result.problem));
  }
}

void StopKubelet(NodeData& data, workflow::Context& context) {
  SayServiceTrouble(kubelet::StopKubelet(data.host), "stop", context);
}

void StartKubelet(NodeData& data, workflow::Context& context) {
  context.Print("[kubelet-start] Starting the kubelet");
  SayServiceTrouble(kubelet::StartKubelet(data.host), "start", context);
}

void WriteKubeletFlags(NodeData& data, kubelet::FlagsInput::Taints taints,
                       workflow::Context& context) {
  using CriSocket = kubelet::FlagsInput::CriSocket;
  workflow::WrittenFiles files(data.host.files, context);
  const config::Args flags = kubelet::Flags(
      {.registration = data.config.init.node_registration,
       .hostname = data.machine.machine.Hostname(),
       .taints = taints,
       .cri_socket = SocketIsLocal(data) ? CriSocket::kInInstanceConfig : CriSocket::kByFlag,
       .pod_infra_image = kubelet::PodInfraImage(data.config.cluster)});
  context.Print(fmt::format("[kubelet-start] Writing the kubelet's arguments to file {}",
                            base::Quoted(files.Location(kubelet::kFlagsFile).string())));
  kubelet::WriteFlagsFile(files, flags);
}

void WriteInstanceConfig(NodeData& data, workflow::Context& context) {
  if (!SocketIsLocal(data)) {
    return;
  }
  workflow::WrittenFiles files(data.host.files, context);
  context.Print(fmt::format("[kubelet-start] Writing the kubelet's configuration to file {}",
                            base::Quoted(files.Location(kubelet::kInstanceConfigFile).string())));
  kubelet::WriteInstanceConfig(files, data.config.init.node_registration.cri_socket);
}

void WriteKubeletConfig(NodeData& data, workflow::Context& context) {
  workflow::WrittenFiles files(data.host.files, context);
  const kubelet::NodeConfig config = kubelet::MakeNodeConfig(
      data.host, data.config.cluster.kubelet.value, data.Patches(context),
      SocketIsLocal(data) ? kubelet::UseInstanceConfig::kYes : kubelet::UseInstanceConfig::kNo);
  SayPatches(config.applied, context);
  context.Print(fmt::format("[kubelet-start] Writing the kubelet's configuration to file {}",
                            base::Quoted(files.Location(kubelet::kConfigFile).string())));
  kubelet::WriteNodeConfig(files, config.value);
}

}  // namespace node_steps
