// Phases `kubelet-start` and `kubelet-finalize`.
#include <fmt/core.h>

#include "base/strings.h"
#include "config/paths.h"
#include "kubeadm/init/phases.h"
#include "kubeadm/node_steps.h"
#include "kubelet/finalize.h"

namespace kubeadm {

void WriteAndStartKubelet(InitData& data, workflow::Context& context) {
  StopKubelet(data, context);
  WriteKubeletFlags(data, kubelet::FlagsInput::Taints::kByApi, context);
  WriteInstanceConfig(data, context);
  WriteKubeletConfig(data, context);
  StartKubelet(data, context);
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
  SayServiceTrouble(result.restart, "restart", context);
}

}  // namespace kubeadm
