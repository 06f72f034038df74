// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/strings.h"
#include "init_steps/steps.h"
#include "node_steps/steps.h"
#include "static_pods/static_pod.h"

namespace init_steps {

void MakeEtcd(InitData& data, workflow::Context& context) {
  const std::string& data_dir = data.config.cluster.etcd.local->data_dir;
  data.world.Do(
      {.on_machine = [&] { data.host.files.MakeDirectories(data_dir, 0700); },
       .in_dry_run = world::Would(
           context, {fmt::format("[etcd] Would make the directory {}", base::Quoted(data_dir))})});
  context.Print(fmt::format("[etcd] Writing the static Pod manifest of a local etcd to {}",
                            ManifestDirectory(data)));
  const static_pods::HostFacts facts = static_pods::GatherFacts(data.machine, data.config.cluster);
  WriteStaticPod(components::Component::kEtcd,
                 static_pods::StaticPod(components::Component::kEtcd, data.config, facts), data,
                 context);
  data.world.Show({components::ManifestPath(components::Component::kEtcd)}, context);
}

}  // namespace init_steps
