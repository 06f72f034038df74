// SPDX-License-Identifier: Apache-2.0
// The output of a path.
#pragma once

#include <string>

#include "json/value.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// Returns whole lines for humans: the hops as a table, the kubelets, and the findings.
std::string TextOf(const PathPlan& plan);

// Returns the part of a sentence about the kubelets that are older than the control plane at the
// end of the path: "one (v1.34.4), two (v1.34.4)", or "none".
std::string KubeletsLeft(const PathPlan& plan);

// Returns the object of kind UpgradePath.
json::Ordered ObjectOf(const PathPlan& plan);

}  // namespace upgrade_path
