// SPDX-License-Identifier: Apache-2.0
// How a way is shown.
#pragma once

#include <string>

#include "json/value.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// TextOf is whole lines for people: the hops as a table, the kubelets, what would break.
std::string TextOf(const PathPlan& plan);

// KubeletsLeft are the kubelets that are older than the control plane at the end, for a sentence:
// "one (v1.34.4), two (v1.34.4)", or "none".
std::string KubeletsLeft(const PathPlan& plan);

// ObjectOf is the object of kind UpgradePath.
json::Ordered ObjectOf(const PathPlan& plan);

}  // namespace upgrade_path
