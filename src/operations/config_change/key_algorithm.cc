// SPDX-License-Identifier: Apache-2.0
#include "config_change/key_algorithm.h"

#include <fmt/core.h>

#include "base/version.h"
#include "json/value.h"
#include "releases/releases.h"

namespace config_change {

std::optional<std::string> KeyAlgorithmProblem(const std::string& algorithm, kube::Client& client) {
  if (!algorithm.starts_with("ML-DSA-")) {
    return std::nullopt;
  }
  for (const json::Value& node : client.List(kube::resources::kNode, "")) {
    const std::string text = json::TextAt(node, {"status", "nodeInfo", "kubeletVersion"});
    const auto version = base::Version::ParseGeneric(text);
    if (version && !releases::For(*version).ml_dsa) {
      return fmt::format(
          "the kubelet of node {} is of {}, and could not connect to an API server whose "
          "certificate has such a key",
          json::TextAt(node, {"metadata", "name"}), version->TextWithV());
    }
  }
  return std::nullopt;
}

}  // namespace config_change
