// SPDX-License-Identifier: Apache-2.0
#include "upgrade/health.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "objects/mark.h"
#include "objects/node.h"
#include "static_pods/static_pod.h"

namespace upgrade {
namespace {

using checks::Findings;
using checks::Refuse;

bool HasSchedulableNode(kube::Client& client) {
  const json::Value list = client.Raw({.verb = kube::Verb::kList,
                                       .resource = kube::resources::kNode,
                                       .field_selector = "spec.unschedulable=false",
                                       .limit = 1});
  const json::Value& items = json::At(list, {"items"});
  return items.is_array() && !items.empty();
}

Findings CreateJob(const HealthInput& input, const std::stop_token& stop) {
  bool schedulable = false;
  input.client.Retry("the nodes cannot be listed",
                     [&] { schedulable = HasSchedulableNode(input.client); });
  if (!schedulable) {
    base::LogWarning("the check CreateJob is skipped: no node takes new Pods");
    return {};
  }
  const JobRun run{.client = input.client,
                   .clock = input.host.clock,
                   .image = input.pause_image,
                   .limits = input.job_limits,
                   .stop = stop};
  const std::string name = StartHealthJob(run);
  input.perform(
      fmt::format("[dryrun] Would wait until Job \"{}\" is complete, and remove it", name),
      [&] { WaitForHealthJob(name, run); });
  return {};
}

Findings ControlPlaneNodesReady(const HealthInput& input) {
  std::vector<json::Value> nodes;
  input.client.Retry("the nodes of the control plane cannot be listed", [&] {
    nodes = input.client.List(kube::resources::kNode, "",
                              {.labels = std::string(objects::kControlPlaneLabel) + "="});
  });
  const std::vector<std::string> names = NotReady(nodes);
  return names.empty() ? Findings{}
                       : Findings{Refuse("nodes of the control plane are not Ready: " +
                                         base::Join(names, ", "))};
}

Findings StaticPodManifest(const HealthInput& input) {
  std::vector<std::string> problems;
  for (const components::Component component : components::kControlPlane) {
    const std::string path = components::ManifestPath(component).string();
    input.perform(fmt::format("[dryrun] Would check that {} exists", path), [&] {
      // The manifests are checked before the Job. If a manifest is unreadable, the kubelet may have
      // ended its Pod. Without a scheduler, for example, no Job would end, and the Job's timeout
      // would hide the cause.
      try {
        if (!static_pods::ReadManifest(input.host.files, component)) {
          problems.push_back(path + " is missing");
        }
      } catch (const base::Error& error) {
        problems.push_back(error.message());
      }
    });
  }
  return problems.empty()
             ? Findings{}
             : Findings{Refuse("not all of the control plane is defined on this machine: " +
                               base::Join(problems, "; "))};
}

}  // namespace

std::vector<std::string> NotReady(const std::vector<json::Value>& nodes) {
  std::vector<std::string> names;
  for (const json::Value& node : nodes) {
    if (!objects::IsReady(node)) {
      names.push_back(json::TextAt(node, {"metadata", "name"}));
    }
  }
  return names;
}

std::vector<checks::Check> StateChecks(const HealthInput& input) {
  return {{.id = "ControlPlaneNodesReady",
           .judge = [input](const std::stop_token&) { return ControlPlaneNodesReady(input); }},
          {.id = "StaticPodManifest",
           .judge = [input](const std::stop_token&) { return StaticPodManifest(input); }}};
}

std::vector<checks::Check> JobChecks(const HealthInput& input) {
  return {{.id = "CreateJob",
           .judge = [input](const std::stop_token& stop) { return CreateJob(input, stop); }}};
}

}  // namespace upgrade
