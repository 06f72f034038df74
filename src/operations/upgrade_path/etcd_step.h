// SPDX-License-Identifier: Apache-2.0
// From which patch the members of etcd may be upgraded one after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upgrade/policy.h"

namespace upgrade_path {

// FindEtcdStepHazard compares the members' image tags with the tag to come. Returns a sentence with
// the remedy when a cluster of several members would go to another minor version of etcd and one of
// them is older than etcd's upgrade guide asks for (releases::OldestEtcdFor). Returns std::nullopt
// when there is no hazard, or when a tag does not name a version.
std::optional<std::string> FindEtcdStepHazard(const std::vector<upgrade::NodeVersion>& members,
                                              const std::string& next_tag);

}  // namespace upgrade_path
