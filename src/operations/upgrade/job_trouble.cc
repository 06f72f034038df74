// SPDX-License-Identifier: Apache-2.0
#include "upgrade/job_trouble.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "json/value.h"
#include "kube/objects.h"
#include "objects/leader.h"
#include "objects/mirror_pod.h"

namespace upgrade {
namespace {

using components::Component;

// Returns why the Pod's first container waits; "" if it does not wait, or if its state is unknown.
std::string WaitingReason(const json::Value& pod) {
  const json::Value& statuses = json::At(pod, {"status", "containerStatuses"});
  if (!statuses.is_array() || statuses.empty()) {
    return "";
  }
  const std::string reason = json::TextAt(statuses[0], {"state", "waiting", "reason"});
  const std::string message = json::TextAt(statuses[0], {"state", "waiting", "message"});
  return message.empty() ? reason : reason + ": " + message;
}

bool HasEnded(std::string_view phase) { return phase == "Succeeded" || phase == "Failed"; }

}  // namespace

JobTrouble TroubleOf(const std::vector<json::Value>& pods) {
  if (pods.empty()) {
    return {.text = "kube-controller-manager has made no Pod of it",
            .waits_for = Component::kControllerManager};
  }
  const json::Value& pod = pods.front();
  const std::string name = json::TextAt(pod, {"metadata", "name"});
  const std::string node = json::TextAt(pod, {"spec", "nodeName"});
  const std::string phase = json::TextAt(pod, {"status", "phase"});
  if (const json::Value* scheduled = kube::FindCondition(pod, "PodScheduled");
      scheduled != nullptr && json::TextAt(*scheduled, {"status"}) == "False") {
    return {.text = fmt::format("Pod {} finds no node: {}", name,
                                json::TextAt(*scheduled, {"message"}))};
  }
  if (node.empty()) {
    return {.text = fmt::format("kube-scheduler has chosen no node for Pod {}", name),
            .waits_for = Component::kScheduler};
  }
  if (json::TextAt(pod, {"status", "startTime"}).empty()) {
    return {
        .text = fmt::format("the kubelet of node {} has not taken notice of Pod {}", node, name),
        .kubelet_is_late = true};
  }
  if (const std::string reason = WaitingReason(pod); !reason.empty()) {
    return {.text = fmt::format("Pod {} on node {} waits: {}", name, node, reason)};
  }
  if (HasEnded(phase)) {
    return {.text = fmt::format("kube-controller-manager has not seen that Pod {} on node {} {}",
                                name, node, phase == "Failed" ? "failed" : "succeeded"),
            .waits_for = Component::kControllerManager};
  }
  // A health check's container ends soon after its start: a running one has just begun.
  return {.text = fmt::format("Pod {} on node {} is {}", name, node, phase),
          .kubelet_is_late = phase == "Running"};
}

std::string DescribeLeader(kube::Client& client, Component component) {
  std::vector<std::string> facts;
  if (const auto leader = objects::FindLeader(client, component)) {
    facts.push_back(fmt::format("its Lease was last renewed at {} by {}", leader->renewed,
                                leader->holder.empty() ? "nobody" : leader->holder));
  }
  for (const auto& [node, pod] : objects::CollectControlPlanePods(
           client, component, objects::CollectControlPlaneNodes(client))) {
    if (const std::string reason = WaitingReason(pod); !reason.empty()) {
      facts.push_back(
          fmt::format("Pod {} waits: {}", json::TextAt(pod, {"metadata", "name"}), reason));
    }
  }
  return base::Join(facts, "; ");
}

}  // namespace upgrade
