// The flags of `kubeadm upgrade apply` and `kubeadm upgrade node`.
#pragma once

#include <vector>

#include "cli/flags.h"
#include "kubeadm/upgrade/data.h"

namespace kubeadm {

// UpgradePhaseFlags are those that the command's phases choose from, by name.
std::vector<cli::Flag> UpgradePhaseFlags(UpgradeData::Command command);

// UpgradeRunFlags are those of the whole command, by name.
std::vector<cli::Flag> UpgradeRunFlags(UpgradeData::Command command);

}  // namespace kubeadm
