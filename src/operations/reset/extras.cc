// SPDX-License-Identifier: Apache-2.0
#include "reset/extras.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "reset/bridges.h"
#include "reset/leftovers.h"
#include "reset/places.h"

namespace reset {

std::vector<std::string> Extras::Names() const {
  std::vector<std::string> names;
  std::ranges::transform(network, std::back_inserter(names), &NetworkStep::what);
  std::ranges::transform(kubeconfigs, std::back_inserter(names),
                         [](const fs::path& path) { return path.string(); });
  return names;
}

Extras FindExtras(const Teardown& teardown) {
  Extras extras{.network = PlanNetworkCleanup(teardown.host)};
  for (const JudgedBridge& bridge : JudgeBridges(teardown.host)) {
    if (bridge.why_kept) {
      extras.kept.push_back(
          fmt::format("the network bridge {} is kept: {}", bridge.name, *bridge.why_kept));
    }
  }
  for (const fs::path& path : teardown.user_kubeconfigs) {
    if (BelongsTo(teardown.host.files, path, teardown.cluster_ca) == Belongs::kOnly) {
      extras.kubeconfigs.push_back(path);
    } else {
      extras.kept.push_back(
          fmt::format("{} also has other clusters: kept unchanged", path.string()));
    }
  }
  return extras;
}

std::vector<std::string> RemoveExtras(const Extras& extras, host::Host& host) {
  std::vector<std::string> problems = CleanNetwork(host, extras.network);
  std::ranges::move(Remove(host.files, extras.kubeconfigs), std::back_inserter(problems));
  return problems;
}

}  // namespace reset
