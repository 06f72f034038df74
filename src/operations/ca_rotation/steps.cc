// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/steps.h"

#include <algorithm>

#include "base/rows.h"

namespace ca_rotation {

std::span<const StepRow> StepRows() {
  using enum components::Component;
  static const std::vector<StepRow> rows = {
      {.authority = "etcd",
       .step = Step::kTrust,
       .precondition = Precondition::kEtcdIsHealthy,
       .restarts = {{kEtcd, kApiServer}}},
      {.authority = "etcd", .step = Step::kReissue, .reload = Reload::kEtcdShows},
      {.authority = "etcd",
       .step = Step::kDrop,
       .precondition = Precondition::kEtcdIsHealthy,
       .restarts = {{kEtcd, kApiServer}}},

      {.authority = "front-proxy", .step = Step::kTrust, .reload = Reload::kApiTrusts},
      {.authority = "front-proxy",
       .step = Step::kReissue,
       .restarts = {{kApiServer}},
       .reload = Reload::kApiTrusts},
      {.authority = "front-proxy",
       .step = Step::kDrop,
       .reload = Reload::kApiDistrusts,
       .forgets = true},

      {.authority = "kubernetes",
       .step = Step::kTrust,
       .restarts = {{kControllerManager, kScheduler}, true},
       .reload = Reload::kApiTrusts,
       .publishes = true},
      {.authority = "kubernetes",
       .step = Step::kReissue,
       .precondition = Precondition::kPodsTrust,
       .reissues_kubelet = true,
       .restarts = {{kApiServer, kControllerManager, kScheduler}, true},
       .reload = Reload::kApiTrusts,
       .publishes = true},
      {.authority = "kubernetes",
       .step = Step::kDrop,
       .restarts = {{kControllerManager, kScheduler}, true},
       .reload = Reload::kApiDistrusts,
       .publishes = true,
       .forgets = true},

      {.authority = "sa", .step = Step::kTrust, .restarts = {{kApiServer}}},
      {.authority = "sa", .step = Step::kReissue, .restarts = {{kApiServer, kControllerManager}}},
      {.authority = "sa",
       .step = Step::kDrop,
       .precondition = Precondition::kNoOldTokens,
       .restarts = {{kApiServer}}},
  };
  return rows;
}

const StepRow& RowOf(const Authority& authority, Step step) {
  return base::RowOf(
      StepRows(), std::pair(std::string_view(authority.name), step),
      [](const StepRow& row) { return std::pair(std::string_view(row.authority), row.step); });
}

}  // namespace ca_rotation
