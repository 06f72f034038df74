// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/strings.h"
#include "static_pods/static_pod.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"

namespace init_steps {

void MakeEtcd(InitData& data, workflow::Context& context) {
  constexpr components::Component kEtcd = components::Component::kEtcd;
  SettleLeftovers(data, context);
  const std::string& data_dir = data.config.cluster.etcd.local->data_dir;
  data.world.Do(
      {.on_machine = [&] { data.host.files.MakeDirectories(data_dir, 0700); },
       .in_dry_run = steps::Would(
           context, {fmt::format("[etcd] Would make the directory {}", base::Quoted(data_dir))})});
  context.Print(fmt::format("[etcd] Writing the static Pod manifest of a local etcd to {}",
                            ManifestDirectory(data)));
  const static_pods::HostFacts facts = static_pods::CollectFacts(data.machine, data.config.cluster);
  WriteStaticPod(kEtcd, static_pods::StaticPod(kEtcd, data.config, facts), data, context);
  data.world.Show({components::ManifestPath(kEtcd)}, context);
}

}  // namespace init_steps
