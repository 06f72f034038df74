// SPDX-License-Identifier: Apache-2.0
// The output of `kubeadm upgrade plan` (reference: upgrade-reset.md §2, output.md §3).
#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "upgrade/component_states.h"
#include "upgrade/offers.h"

namespace upgrade {

// An offer with its rows.
struct PlannedUpgrade {
  Offer offer;
  std::vector<ComponentUpgrade> components;
};

// The content of the output.
struct PlanView {
  std::vector<PlannedUpgrade> upgrades;
  std::vector<ComponentState> states;
};

// Returns the tables with the commands to run.
std::string PlanText(const PlanView& view);

// Returns the object of kind UpgradePlan.
json::Ordered PlanObject(const PlanView& view);

}  // namespace upgrade
