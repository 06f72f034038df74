// SPDX-License-Identifier: Apache-2.0
// Phases `kubelet-start` and `kubelet-finalize`.
#include <fmt/core.h>

#include "base/strings.h"
#include "config/paths.h"
#include "kubelet/finalize.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"
#include "workflow/written_files.h"

namespace init_steps {

void WriteAndStartKubelet(InitData& data, workflow::Context& context) {
  SettleLeftovers(data, context);
  data.world.Do({.on_machine = [&] { StopKubelet(data, context); }});
  WriteKubeletFlags(data, kubelet::FlagsInput::Taints::kByApi, context);
  WriteInstanceConfig(data, context);
  WriteKubeletConfig(data, context);
  data.world.Do({.on_machine = [&] { StartKubelet(data, context); }});
}

void EnableClientCertRotation(InitData& data, workflow::Context& context) {
  const config::NodeRegistration& node = data.config.init.node_registration;
  const std::string line = fmt::format(
      "[kubelet-finalize] Pointing {} to the client certificate that the kubelet renews",
      base::Quoted(data.host.files.Location(fs::path(config::kKubernetesDir) / config::kKubeletConf)
                       .string()));
  const auto finalize = [&] {
    if (data.host.files.Exists(kubelet::RotatedCertificate(node))) {
      context.Print(line);
      workflow::WrittenFiles files(data.host.files, context);
      node_steps::SayServiceTrouble(kubelet::Finalize(data.host, files, node).restart, "restart",
                                    context);
    }
  };
  data.world.Do({.on_machine = finalize, .in_dry_run = steps::Would(context, {line})});
}

}  // namespace init_steps
