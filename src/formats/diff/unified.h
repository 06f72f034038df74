// SPDX-License-Identifier: Apache-2.0
// The difference of two texts by lines, in the unified format (the one of "diff -u").
#pragma once

#include <string>
#include <string_view>

namespace diff {

// Names stand in the two lines of the header.
struct Names {
  std::string from;
  std::string to;
};

// Unified is "" for equal texts. What counts as the same is found as Python's difflib does: the
// longest run of equal lines, then what is before and behind it. `context` is the number of equal
// lines round a change; a negative one means 3.
std::string Unified(std::string_view from, std::string_view to, const Names& names, int context);

}  // namespace diff
