// SPDX-License-Identifier: Apache-2.0
#include "objects/node.h"

#include <fmt/core.h>

#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"
#include "kube/objects.h"

namespace objects {
namespace {

constexpr const char* kCriSocketAnnotation = "kubeadm.alpha.kubernetes.io/cri-socket";

}  // namespace

bool IsReady(const json::Value& node) {
  const json::Value* ready = kube::FindCondition(node, "Ready");
  return ready != nullptr && json::TextAt(*ready, {"status"}) == "True";
}

void RequireFreeName(kube::Client& client, const std::string& name) {
  std::optional<json::Value> node;
  client.Retry(fmt::format("could not check whether a node {} exists already", base::Quoted(name)),
               [&] { node = client.Find({kube::resources::kNode, "", name}); });
  if (node && IsReady(*node)) {
    throw base::Error(
        base::Error::Kind::kAlreadyExists,
        fmt::format("a node {} is in the cluster and Ready: give this machine another name "
                    "(--node-name), or remove that node first (\"kubectl delete node {}\")",
                    base::Quoted(name), name));
  }
}

void KeepCriSocket(kube::Client& client, const std::string& name, const std::string& socket) {
  client.PatchNode(name, [&](json::Value& node) {
    node["metadata"]["annotations"][kCriSocketAnnotation] = socket;
  });
}

void ForgetCriSocket(kube::Client& client, const std::string& name) {
  client.PatchNode(name, [](json::Value& node) {
    if (node["metadata"].contains("annotations")) {
      node["metadata"]["annotations"].erase(kCriSocketAnnotation);
    }
  });
}

void Annotate(kube::Client& client, const std::string& node, std::string_view annotation,
              const std::string& value) {
  client.Retry(fmt::format("could not mark node \"{}\"", node), [&] {
    client.Patch({kube::resources::kNode, "", node}, "application/merge-patch+json",
                 {{"metadata", {{"annotations", {{std::string(annotation), value}}}}}});
  });
}

}  // namespace objects
