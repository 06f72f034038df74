// SPDX-License-Identifier: Apache-2.0
#include "kubelet/cluster_keys.h"

#include <fmt/core.h>

#include "base/version.h"
#include "json/value.h"
#include "kube/objects.h"
#include "pki/key.h"
#include "releases/releases.h"

namespace kubelet {
std::optional<std::string> KeyProblem(const std::string& algorithm, const std::string& node,
                                      const std::string& version) {
  const auto exact = base::Version::Parse(version);
  const auto parsed = exact ? exact : base::Version::ParseGeneric(version);
  if (!pki::IsMlDsa(algorithm) || !parsed || releases::KnowsMlDsa(*parsed)) {
    return std::nullopt;
  }
  return fmt::format(
      "the kubelet of node {} is of {}, and could not connect to an API server whose certificate "
      "has such a key",
      node, parsed->TextWithV());
}

std::optional<std::string> KeyProblem(const std::string& algorithm, kube::Client& client) {
  if (!pki::IsMlDsa(algorithm)) {
    return std::nullopt;
  }
  for (const json::Value& node : client.List(kube::resources::kNode, "")) {
    if (auto problem = KeyProblem(algorithm, json::TextAt(node, {"metadata", "name"}),
                                  json::TextAt(node, {"status", "nodeInfo", "kubeletVersion"}))) {
      return problem;
    }
  }
  return std::nullopt;
}

}  // namespace kubelet
