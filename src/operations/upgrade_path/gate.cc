// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/gate.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "json/value.h"
#include "objects/node.h"
#include "upgrade_path/path.h"

namespace upgrade_path {
namespace {

using base::Error;

std::optional<kube::NotYet> Trouble(const HopGate& gate, const std::stop_token& stop) {
  gate.client.transport().GetPath("/readyz", stop);
  for (const kube::Probe& probe : gate.probes) {
    if (auto trouble = probe(stop)) {
      return trouble;
    }
  }
  const json::Value node = gate.client.Get({kube::resources::kNode, "", gate.node});
  return objects::IsReady(node) ? std::nullopt
                                : std::optional(kube::NotYet{"the node is not Ready"});
}

// Checks health repeatedly until the gate opens.
class Fitness {
 public:
  explicit Fitness(const HopGate& gate)
      : gate_(gate), trouble_(kube::PatientProbe([&gate](const std::stop_token& stop) {
          return Trouble(gate, stop);
        })) {}

  std::optional<kube::NotYet> Ask(const std::stop_token& stop) {
    if (auto trouble = trouble_(stop)) {
      well_since_.reset();
      return trouble;
    }
    const auto now = gate_.clock.Steady();
    well_since_ = well_since_.value_or(now);
    return MaySwap(now - *well_since_)
               ? std::optional(kube::NotYet{"its kubelet has not started every container again"})
               : std::nullopt;
  }

 private:
  bool MaySwap(std::chrono::nanoseconds well_for) const {
    return gate_.old_containers_run && well_for < gate_.steady && gate_.old_containers_run();
  }

  const HopGate& gate_;
  const kube::Probe trouble_;
  std::optional<std::chrono::steady_clock::time_point> well_since_;
};

std::string List(const std::vector<control_plane::NodeVersion>& nodes) {
  std::vector<std::string> names;
  for (const control_plane::NodeVersion& node : nodes) {
    names.push_back(fmt::format("{} ({})", node.node, node.version));
  }
  return base::Join(names, ", ");
}

}  // namespace

void WaitForHop(const HopGate& gate) {
  base::WithContext(
      fmt::format("the control plane of this node is at {}, and not healthy", gate.version), [&] {
        Fitness fitness(gate);
        kube::WaitUntil([&](const std::stop_token& stop) { return fitness.Ask(stop); },
                        {.clock = gate.clock,
                         .most = std::chrono::milliseconds(500),
                         .limit = gate.limit,
                         .stop = gate.stop,
                         .culprit = {}});
      });
}

void RequireFollowers(const control_plane::Running& now, const base::Version& next,
                      upgrade::Force force) {
  const auto server_list = now.static_pods.find(config::kApiServer);
  const auto servers = server_list == now.static_pods.end()
                           ? std::vector<control_plane::NodeVersion>{}
                           : ServersBehind(server_list->second, next);
  if (!servers.empty()) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("the API servers of a cluster differ by one minor version at most, and these "
                    "have to follow before the hop to {}: {}. Run 'kubeadm upgrade node' on each "
                    "of these nodes, then the same command here again: it continues from here",
                    next.TextWithV(), List(servers)));
  }
  const auto kubelets = KubeletsBehind(now.kubelets, next);
  if (!kubelets.empty() && force == upgrade::Force::kNo) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("an API server of {} does not work with kubelets that are more than "
                            "three minor versions older: {}. Upgrade these, then give the same "
                            "command here again: it continues from here",
                            next.TextWithV(), List(kubelets)));
  }
}

}  // namespace upgrade_path
