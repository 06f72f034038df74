// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <mutex>

#include "base/strings.h"
#include "components/containers.h"
#include "cri/runtime.h"
#include "etcd_membership/data_lock.h"
#include "etcd_membership/first_start.h"
#include "etcd_membership/local_etcd.h"
#include "kubelet/service.h"
#include "static_pods/static_pod.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"
#include "workflow/resume.h"

namespace init_steps {
namespace {

constexpr components::Component kEtcd = components::Component::kEtcd;

// The API server ends first: one that has seen other data would not store its roles again.
void EndEtcd(InitData& data) {
  kubelet::StopKubelet(data.host);  // kubelet-start starts it again
  const std::unique_ptr<cri::Runtime> runtime = data.Runtime();
  for (const components::Component component : {components::Component::kApiServer, kEtcd}) {
    for (const cri::Sandbox& sandbox : components::SandboxesOf(component, *runtime)) {
      runtime->StopSandbox(sandbox.id);
    }
  }
}

void Settle(InitData& data, workflow::Context& context) {
  const steps::ResumedNode resumed = data.Resumed();
  const std::string manifest = components::ManifestPath(kEtcd).string();
  const auto local = etcd_membership::FindEtcd(data.host.files).local;
  if (!local || !workflow::IsOwnLeftover(resumed.journal, data.host.files, manifest)) {
    return;
  }
  const auto is_unusable = [&] {
    return etcd_membership::HasEmptyLog(data.host.files, local->data_dir);
  };
  if (!resumed.journal->IsForAnotherConfiguration(manifest) && !is_unusable()) {
    return;
  }
  context.Print("[etcd] Stopping the etcd of the run that was not finished");
  EndEtcd(data);
  // An etcd that does not belong to the run may use the data, too.
  const auto lock = etcd_membership::LockData(
      data.host, local->data_dir, "remove the data of an etcd that had only begun to start",
      data.host.signals.Interrupt());
  if (is_unusable()) {
    data.host.files.RemoveTree(local->data_dir / etcd_membership::kMemberDirectory);
  }
}

}  // namespace

void SettleResumedEtcd(InitData& data, workflow::Context& context) {
  std::call_once(data.etcd_is_settled, [&] { Settle(data, context); });
}

void MakeEtcd(InitData& data, workflow::Context& context) {
  SettleResumedEtcd(data, context);
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
