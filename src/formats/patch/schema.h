// SPDX-License-Identifier: Apache-2.0
// The lists that a strategic merge patch merges (the patch strategies of the Kubernetes API types).
#pragma once

#include <string_view>

#include "patch/patch.h"

namespace patch {

// How a list or object is merged; `key` is a literal of the schema.
struct MergeRule {
  enum class List {
    kReplaced,  // the patch's list replaces the other (or the field is not a list)
    kByKey,     // objects with the same `key` are merged
    kAsSet,     // plain values, each once
  } list = List::kReplaced;
  std::string_view key = {};
  bool retain_keys = false;  // a diff lists the members that stay ($retainKeys)
};

// Returns the rule of a field by its path without indices: "spec.containers.env".
MergeRule RuleAt(Schema schema, std::string_view path);

}  // namespace patch
