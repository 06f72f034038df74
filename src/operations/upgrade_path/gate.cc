// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/gate.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "kube/wait.h"
#include "node_objects/node.h"
#include "static_pods/static_pod.h"
#include "upgrade_path/path.h"

namespace upgrade_path {
namespace {

using base::Error;

constexpr const char* kControlPlanePods = "tier=control-plane";

bool IsReady(const json::Value& pod) {
  for (const json::Value& condition : json::At(pod, {"status", "conditions"})) {
    if (json::TextAt(condition, {"type"}) == "Ready") {
      return json::TextAt(condition, {"status"}) == "True";
    }
  }
  return false;
}

// etcd has a version of its own.
bool HasVersionOfKubernetes(const json::Value& pod) {
  return json::TextAt(pod, {"metadata", "labels", "component"}) != "etcd";
}

std::vector<json::Value> PodsOf(const HopGate& gate) {
  return gate.client.List(kube::resources::kPod, "kube-system", kControlPlanePods,
                          "spec.nodeName=" + gate.node);
}

std::optional<kube::NotYet> Trouble(const HopGate& gate) {
  gate.client.transport().GetPath("/readyz", gate.stop);
  const json::Value node = gate.client.Get(kube::resources::kNode, "", gate.node);
  const auto trouble = HopTrouble(PodsOf(gate), node, gate.version);
  return trouble ? std::optional(kube::NotYet{*trouble}) : std::nullopt;
}

// Steadiness asks until all has been well for the gate's time.
class Steadiness {
 public:
  explicit Steadiness(const HopGate& gate)
      : gate_(gate),
        trouble_(kube::PatientProbe([&gate](const std::stop_token&) { return Trouble(gate); })) {}

  std::optional<kube::NotYet> Ask(const std::stop_token& stop) {
    if (auto trouble = trouble_(stop)) {
      well_since_.reset();
      return trouble;
    }
    const auto now = gate_.clock.Steady();
    well_since_ = well_since_.value_or(now);
    return now - *well_since_ < gate_.steady
               ? std::optional(kube::NotYet{"it has been well for a moment only"})
               : std::nullopt;
  }

 private:
  const HopGate& gate_;
  const kube::Probe trouble_;
  std::optional<std::chrono::steady_clock::time_point> well_since_;
};

std::string List(const std::vector<upgrade::NodeVersion>& nodes) {
  std::vector<std::string> names;
  for (const upgrade::NodeVersion& node : nodes) {
    names.push_back(fmt::format("{} ({})", node.node, node.version));
  }
  return base::Join(names, ", ");
}

}  // namespace

std::optional<std::string> HopTrouble(const std::vector<json::Value>& pods, const json::Value& node,
                                      const std::string& version) {
  if (pods.empty()) {
    return "the cluster has none of its Pods";
  }
  for (const json::Value& pod : pods) {
    const std::string name = json::TextAt(pod, {"metadata", "name"});
    const std::string tag = upgrade::ImageTag(static_pods::FirstImage(pod).value_or(""));
    if (HasVersionOfKubernetes(pod) && tag != version) {
      return fmt::format("Pod {} is at {}", name, tag);
    }
    if (!IsReady(pod)) {
      return fmt::format("Pod {} is not Ready", name);
    }
  }
  return node_objects::IsReady(node) ? std::nullopt : std::optional("the node is not Ready");
}

void WaitForHop(const HopGate& gate) {
  base::WithContext(
      fmt::format("the control plane of this node is at {}, and not well", gate.version), [&] {
        Steadiness steadiness(gate);
        kube::WaitUntil([&](const std::stop_token& stop) { return steadiness.Ask(stop); },
                        {.clock = gate.clock,
                         .most = std::chrono::milliseconds(500),
                         .limit = gate.limit,
                         .stop = gate.stop,
                         .culprit = {}});
      });
}

void RequireFollowers(const upgrade::Running& now, const base::Version& next) {
  const auto server_list = now.static_pods.find(config::kApiServer);
  const auto servers = server_list == now.static_pods.end()
                           ? std::vector<upgrade::NodeVersion>{}
                           : ServersBehind(server_list->second, next);
  if (!servers.empty()) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("the API servers of a cluster differ by one minor version at most, and these "
                    "have to follow before the hop to {}: {}. Give 'kubeadm upgrade node' on each "
                    "of these nodes, then the same command here again: it goes on from here",
                    next.TextWithV(), List(servers)));
  }
  if (const auto kubelets = KubeletsBehind(now.kubelets, next); !kubelets.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("an API server of {} does not work with kubelets that are more than "
                            "three minor versions older: {}. Upgrade these, then give the same "
                            "command here again: it goes on from here",
                            next.TextWithV(), List(kubelets)));
  }
}

}  // namespace upgrade_path
