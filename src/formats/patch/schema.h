// SPDX-License-Identifier: Apache-2.0
// The lists that a strategic merge patch merges (the patch strategies of the Kubernetes API types).
#pragma once

#include <string_view>

#include "patch/patch.h"

namespace patch {

// How a list or object is merged; `key` is a literal of the schema.
struct MergeRule {
  enum class List {
    // The patch's list replaces the other list. Also used for fields of other types.
    kReplaced,
    // Objects with the same `key` are merged.
    kByKey,
    // The lists are merged as sets of scalars, without duplicates.
    kAsSet,
  } list = List::kReplaced;
  std::string_view key = {};
  // A diff lists the members that stay ($retainKeys).
  bool retain_keys = false;
};

// Returns the rule of a field by its path without indices: "spec.containers.env".
MergeRule RuleAt(Schema schema, std::string_view path);

}  // namespace patch
