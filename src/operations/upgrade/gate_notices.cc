// SPDX-License-Identifier: Apache-2.0
#include "upgrade/gate_notices.h"

#include <fmt/format.h>

#include "releases/releases.h"

namespace upgrade {

std::vector<std::string> GateNotices(const config::ClusterConfiguration& cluster) {
  const releases::Release& release = releases::For(cluster.kubernetes_version);
  std::vector<std::string> notices;
  for (const auto& [name, chosen] : cluster.feature_gates) {
    const releases::FeatureGate* gate = release.FindGate(name);
    if (gate == nullptr) {
      notices.push_back(
          fmt::format("Unknown feature gate flag: {} (v1.{} has no such gate; it has no effect)",
                      name, release.minor));
    } else if (gate->stage == releases::GateStage::kDeprecated) {
      notices.push_back(fmt::format(
          "feature gate {} is deprecated: take it out of the cluster's configuration", name));
    }
  }
  return notices;
}

}  // namespace upgrade
