// SPDX-License-Identifier: Apache-2.0
// The flags of `kubeadm upgrade apply` and `kubeadm upgrade node`.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "kubeadm/upgrade/phases.h"

namespace kubeadm {

// Returns the rows of these flags, which the commands share: "config", "dry-run", "etcd-upgrade", …
// The rows have the order of `names`. Throws std::logic_error for any other name.
std::vector<cli::Flag> UpgradeFlags(std::initializer_list<std::string_view> names);

// Returns the flags that phases of the command may have, by name.
std::vector<cli::Flag> UpgradePhaseFlags(UpgradeData::Command command);

// Returns the flags of the whole command, by name.
std::vector<cli::Flag> UpgradeRunFlags(UpgradeData::Command command);

}  // namespace kubeadm
