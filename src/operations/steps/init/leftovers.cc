// SPDX-License-Identifier: Apache-2.0
// The control plane that an unfinished run has started.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "components/containers.h"
#include "cri/runtime.h"
#include "etcd_membership/data_lock.h"
#include "etcd_membership/first_start.h"
#include "etcd_membership/local_etcd.h"
#include "static_pods/static_pod.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"
#include "workflow/resume.h"

namespace init_steps {
namespace {

using components::Component;

// The order in which components are stopped. The API server stores its RBAC roles only at its
// start, so it must not run on with the data of another etcd.
constexpr std::array kEndingOrder = {Component::kApiServer, Component::kControllerManager,
                                     Component::kScheduler, Component::kEtcd};

bool IsLeftover(const steps::ResumedNode& node, const fs::path& manifest) {
  return workflow::IsOwnLeftover(node.journal, node.files, manifest);
}

std::vector<fs::path> OutdatedManifests(const steps::ResumedNode& node) {
  std::vector<fs::path> outdated;
  for (const Component component : components::kComponents) {
    fs::path manifest = components::ManifestPath(component);
    if (IsLeftover(node, manifest) && node.journal->IsForAnotherConfiguration(manifest.string())) {
      outdated.push_back(std::move(manifest));
    }
  }
  return outdated;
}

// Returns the data directory of the etcd that the resumed run has started.
std::optional<fs::path> LeftoverEtcdData(const steps::ResumedNode& node) {
  if (!IsLeftover(node, components::ManifestPath(Component::kEtcd))) {
    return std::nullopt;
  }
  const auto local = etcd_membership::FindEtcd(node.files).local;
  return local ? std::optional(local->data_dir) : std::nullopt;
}

void StopPods(InitData& data) {
  const std::unique_ptr<cri::Runtime> runtime = data.Runtime();
  for (const Component component : kEndingOrder) {
    for (const cri::Sandbox& sandbox : components::SandboxesOf(component, *runtime)) {
      runtime->StopSandbox(sandbox.id);
    }
  }
}

void Settle(InitData& data, workflow::Context& context) {
  const steps::ResumedNode resumed = data.Resumed();
  if (resumed.journal == nullptr) {
    return;
  }
  const std::vector<fs::path> outdated = OutdatedManifests(resumed);
  const std::optional<fs::path> etcd_data = LeftoverEtcdData(resumed);
  const auto is_unusable = [&] {
    return etcd_data && etcd_membership::HasEmptyLog(data.host.files, *etcd_data);
  };
  if (outdated.empty() && !is_unusable()) {
    return;
  }
  context.Print("[init] Stopping the control plane of the run that was not finished");
  StopKubelet(data, context);
  StopPods(data);
  for (const fs::path& manifest : outdated) {
    data.host.files.Remove(manifest);
  }
  if (!etcd_data) {
    return;
  }
  // Another etcd, which does not belong to the run, may use the data, too.
  const auto lock = etcd_membership::LockData(
      data.host, *etcd_data, "remove the data of an etcd that had only begun to start",
      data.host.signals.Interrupt());
  if (is_unusable()) {
    data.host.files.RemoveTree(*etcd_data / etcd_membership::kMemberDirectory);
  }
}

}  // namespace

void SettleLeftovers(InitData& data, workflow::Context& context) {
  std::call_once(data.leftovers_are_settled, [&] { Settle(data, context); });
}

}  // namespace init_steps
