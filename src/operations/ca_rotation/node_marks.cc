// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/node_marks.h"

#include <fmt/core.h>

#include "json/rfc3339.h"
#include "objects/mirror_pod.h"
#include "objects/node.h"

namespace ca_rotation {
namespace {

namespace resources = kube::resources;

NodeState StateIn(const json::Value& node, const Authority& authority, std::string_view pin) {
  NodeState state{.name = json::TextAt(node, {"metadata", "name"}),
                  .control_plane = objects::IsControlPlane(node)};
  state.created = json::ParseRfc3339(json::TextAt(node, {"metadata", "creationTimestamp"}))
                      .value_or(std::chrono::sys_seconds{});
  const auto mark =
      ParseMark(json::TextAt(node, {"metadata", "annotations", MarkAnnotation(authority)}));
  if (mark && mark->pin == pin) {
    state.done = mark->step;
    state.at = mark->at;
  }
  return state;
}

}  // namespace

std::string MarkAnnotation(const Authority& authority) {
  return fmt::format("rotate-ca.kubeadm.slipway/{}", authority.name);
}

std::vector<NodeState> StatesOf(kube::Client& client, const Authority& authority,
                                std::string_view pin) {
  std::vector<json::Value> nodes;
  client.Retry("could not list the nodes", [&] { nodes = client.List(resources::kNode, ""); });
  std::vector<NodeState> states;
  for (const json::Value& node : nodes) {
    NodeState state = StateIn(node, authority, pin);
    if (state.control_plane || authority.on_workers) {
      states.push_back(std::move(state));
    }
  }
  return states;
}

NodeState StateOf(kube::Client& client, const std::string& node, const Authority& authority,
                  std::string_view pin) {
  json::Value found;
  client.Retry(fmt::format("could not read node \"{}\"", node),
               [&] { found = client.Get({resources::kNode, "", node}); });
  return StateIn(found, authority, pin);
}

void SetMark(kube::Client& client, const std::string& node, const Authority& authority,
             const Mark& mark) {
  objects::Annotate(client, node, MarkAnnotation(authority), TextOf(mark));
}

}  // namespace ca_rotation
