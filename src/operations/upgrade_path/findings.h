// SPDX-License-Identifier: Apache-2.0
// What the hops of a way would break.
#pragma once

#include <vector>

#include "upgrade_path/path.h"

namespace upgrade_path {

// FindBreaks is pure; in the order of the hops.
std::vector<Finding> FindBreaks(const PathFacts& facts, const std::vector<Hop>& hops);

}  // namespace upgrade_path
