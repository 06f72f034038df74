// SPDX-License-Identifier: Apache-2.0
// Drift: the differences of a node and its cluster from the cluster's configuration, as a report.
#pragma once

#include <string>
#include <vector>

#include "config_change/compare.h"
#include "json/fwd.h"

namespace config_change {

// The findings about one node or all nodes.
struct Drift {
  std::vector<Difference> differences;  // by node and component, each in the order of fields
  std::vector<std::string> notes;       // further information: "cp-two is at v1.35.4 …"
  std::vector<std::string> looked_at;   // "kube-apiserver of cp-one"
  std::vector<std::string> unseen;      // unreadable parts, with the reason
};

// Compares all components.
Drift DriftOf(const std::vector<Component>& components);

// Returns whether a manual edit exists that the next upgrade reverts, or that is not in force.
bool HasEdits(const Drift& drift);

// Formats one difference as one line: "kube-apiserver: --v is \"4\" instead of nothing".
std::string Line(const Difference& difference);

// Formats the report for humans.
std::string TextOf(const Drift& drift);

// Returns kind Drift of output.slipway/v1alpha1 (docs/output.md).
json::Ordered ObjectOf(const Drift& drift);

}  // namespace config_change
