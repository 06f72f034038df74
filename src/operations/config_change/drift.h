// SPDX-License-Identifier: Apache-2.0
// Drift: how a node and its cluster differ from what the cluster's configuration gives, as a
// report.
#pragma once

#include <string>
#include <vector>

#include "config_change/compare.h"
#include "json/fwd.h"

namespace config_change {

// Drift is what a look at a node, or at all of them, has found.
struct Drift {
  std::vector<Difference> differences;  // by node and component, each in the order of fields
  std::vector<std::string> notes;       // what a reader must know besides: "cp-two is at v1.35.4 …"
  std::vector<std::string> looked_at;   // "kube-apiserver of cp-one"
  std::vector<std::string> unseen;      // what could not be seen, and why
};

// DriftOf compares all components.
Drift DriftOf(const std::vector<Component>& components);

// HasEdits tells whether something was changed by hand and is lost, or is not in force.
bool HasEdits(const Drift& drift);

// Line is one difference in one line: "kube-apiserver: --v is \"4\" instead of nothing".
std::string Line(const Difference& difference);

// TextOf is for people.
std::string TextOf(const Drift& drift);

// ObjectOf is kind Drift of output.slipway/v1alpha1 (docs/output.md).
json::Ordered ObjectOf(const Drift& drift);

}  // namespace config_change
