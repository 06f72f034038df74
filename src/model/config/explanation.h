// SPDX-License-Identifier: Apache-2.0
// Descriptions of configuration fields, for `config explain`.
#pragma once

#include <string>
#include <vector>

#include "config/field_tree.h"
#include "json/fwd.h"

namespace config {

// The direct fields with their descriptions, or the fields of all levels without descriptions.
enum class Depth { kOneLevel, kAll };

// The fields to explain, and the depth.
struct Explanation {
  std::vector<FoundField> fields;
  Depth depth = Depth::kOneLevel;
};

// Returns a text for humans with the kind, version, type, description and members of each field.
std::string TextOf(const Explanation& explanation);

// Returns kind FieldExplanation of output.slipway/v1alpha1 (docs/output.md).
json::Ordered ObjectOf(const Explanation& explanation);

}  // namespace config
