// SPDX-License-Identifier: Apache-2.0
// The difference of two strings by lines, in the unified format of "diff -u".
#pragma once

#include <string>
#include <string_view>

namespace print {

// The names in the two lines of the header.
struct Names {
  std::string from;
  std::string to;
};

// Returns the difference; "" for equal inputs. Equal lines are matched as in Python's difflib: the
// longest run of equal lines, then the lines before and after it. `context` is the number of equal
// lines around a change. A negative number means 3.
std::string Unified(std::string_view from, std::string_view to, const Names& names, int context);

}  // namespace print
