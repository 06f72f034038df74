// SPDX-License-Identifier: Apache-2.0
// How `kubeadm upgrade plan` looks (reference: upgrade-reset.md §2, output.md §3).
#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "upgrade/component_states.h"
#include "upgrade/offers.h"

namespace upgrade {

// PlannedUpgrade is an offer with its rows.
struct PlannedUpgrade {
  Offer offer;
  std::vector<ComponentUpgrade> components;
};

// PlanView is all that is shown.
struct PlanView {
  std::vector<PlannedUpgrade> upgrades;
  std::vector<ComponentState> states;
};

// PlanText is the tables with the commands to run.
std::string PlanText(const PlanView& view);

// PlanObject is the object of kind UpgradePlan.
json::Ordered PlanObject(const PlanView& view);

}  // namespace upgrade
