// SPDX-License-Identifier: Apache-2.0
// Input with one JSON value on each line, as in event streams and records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace json {

// Calls `visit(line, number)` for each line that is not blank; numbers count from 1. Does not build
// a list of the lines: a list of many short lines would take ten times the memory of the input.
template <typename Visit>
void ForEachLine(std::string_view text, Visit&& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") != line.npos) {
      visit(line, number);
    }
  }
}

}  // namespace json
