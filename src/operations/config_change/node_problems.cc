// SPDX-License-Identifier: Apache-2.0
#include "config_change/node_problems.h"

#include <fmt/core.h>

#include <vector>

#include "base/strings.h"
#include "json/value.h"
#include "net/cidr.h"

namespace config_change {
namespace {

bool Holds(const std::string& network, const std::string& range) {
  const auto outer = net::Cidr::Parse(base::Trim(network));
  const auto inner = net::Cidr::Parse(range);
  return outer && inner && outer->Contains(inner->network()) &&
         outer->PrefixLength() <= inner->PrefixLength();
}

// Nodes from before dual stack have a single range, in podCIDR.
std::vector<std::string> RangesOf(const json::Value& node) {
  std::vector<std::string> ranges;
  for (const json::Value& range : json::At(node, {"spec", "podCIDRs"})) {
    ranges.push_back(range.get<std::string>());
  }
  if (const std::string one = json::TextAt(node, {"spec", "podCIDR"});
      ranges.empty() && !one.empty()) {
    ranges.push_back(one);
  }
  return ranges;
}

}  // namespace

std::optional<std::string> PodRangeProblem(const std::string& networks, kube::Client& client) {
  if (networks.empty()) {
    return std::nullopt;
  }
  const std::vector<std::string> all = base::Split(networks, ',');
  for (const json::Value& node : client.List(kube::resources::kNode, "")) {
    const std::vector<std::string> ranges = RangesOf(node);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (i >= all.size() || !Holds(all[i], ranges[i])) {
        return fmt::format(
            "node {} has the range {}, which {}: the controller manager would end at its start",
            json::TextAt(node, {"metadata", "name"}), ranges[i],
            i >= all.size() ? "would have no network any more"
                            : "is not in " + std::string(base::Trim(all[i])));
      }
    }
  }
  return std::nullopt;
}

}  // namespace config_change
