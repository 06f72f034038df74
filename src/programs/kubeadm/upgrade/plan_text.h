// How `kubeadm upgrade plan` looks (reference: upgrade-reset.md §2, output.md §3).
#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "upgrade/component_states.h"
#include "upgrade/offers.h"

namespace kubeadm {

// PlannedUpgrade is an offer with its rows.
struct PlannedUpgrade {
  upgrade::Offer offer;
  std::vector<upgrade::ComponentUpgrade> components;
};

// UpgradePlanView is all that is shown.
struct UpgradePlanView {
  std::vector<PlannedUpgrade> upgrades;
  std::vector<upgrade::ComponentState> states;
};

// UpgradePlanText is the tables with the commands to run.
std::string UpgradePlanText(const UpgradePlanView& view);

// UpgradePlanObject is the object of kind UpgradePlan.
json::Ordered UpgradePlanObject(const UpgradePlanView& view);

}  // namespace kubeadm
