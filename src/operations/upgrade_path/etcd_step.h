// SPDX-License-Identifier: Apache-2.0
// The minimum patch version of etcd's members for a rolling upgrade.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upgrade/policy.h"

namespace upgrade_path {

// Compares the members' image tags with the wanted tag. If a cluster of several members changes
// etcd's minor version, etcd's upgrade guide requires a minimum patch of the old version
// (releases::OldestEtcdFor). Returns a sentence with the remedy if a member is older. Returns
// std::nullopt otherwise, or if `next_tag` is not a version. Ignores members whose tag is not a
// version.
std::optional<std::string> FindEtcdStepHazard(
    const std::vector<control_plane::NodeVersion>& members, const std::string& next_tag);

}  // namespace upgrade_path
