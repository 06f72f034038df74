// SPDX-License-Identifier: Apache-2.0
// What the fields of a configuration file mean, as `config explain` says it.
#pragma once

#include <string>
#include <vector>

#include "config/field_tree.h"
#include "json/fwd.h"

namespace config {

// Depth: the fields right below, with their descriptions, or all of them, without.
enum class Depth { kOneLevel, kAll };

// Explanation is what is to be explained, and how far.
struct Explanation {
  std::vector<FoundField> fields;
  Depth depth = Depth::kOneLevel;
};

// TextOf is for people: kind, version, type, description and fields of each.
std::string TextOf(const Explanation& explanation);

// ObjectOf is kind FieldExplanation of output.slipway/v1alpha1 (docs/output.md).
json::Ordered ObjectOf(const Explanation& explanation);

}  // namespace config
