#include "upgrade/gate_notices.h"

#include <fmt/format.h>

#include "config/feature_gates.h"

namespace upgrade {

std::vector<std::string> GateNotices(const std::map<std::string, bool>& gates) {
  std::vector<std::string> notices;
  for (const auto& [name, chosen] : gates) {
    const config::FeatureGate* gate = config::FindFeatureGate(name);
    if (gate == nullptr) {
      notices.push_back(
          fmt::format("feature gate {} is not known to this kubeadm: it has no effect", name));
    } else if (gate->stage == config::GateStage::kDeprecated) {
      notices.push_back(fmt::format(
          "feature gate {} is deprecated: take it out of the cluster's configuration", name));
    }
  }
  return notices;
}

}  // namespace upgrade
