// SPDX-License-Identifier: Apache-2.0
// The minimum patch version of etcd's members for a rolling upgrade.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upgrade/policy.h"

namespace upgrade_path {

// Compares the members' image tags with the wanted tag. A cluster of several members at another
// minor version of etcd needs the minimum patch of etcd's upgrade guide (releases::OldestEtcdFor).
// Returns a sentence with the remedy if a member is older. Returns std::nullopt without a hazard,
// or if a tag is not a version.
std::optional<std::string> FindEtcdStepHazard(const std::vector<upgrade::NodeVersion>& members,
                                              const std::string& next_tag);

}  // namespace upgrade_path
