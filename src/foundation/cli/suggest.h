// SPDX-License-Identifier: Apache-2.0
// "Did you mean": names similar to an unknown one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

// EditDistance counts the letters to insert, delete or replace to make one text the other
// (Levenshtein), letter case ignored.
std::size_t EditDistance(std::string_view a, std::string_view b);

// Returns the names within two edits of `typed`, or with it as prefix, in the given order.
std::vector<std::string> Similar(std::string_view typed, std::span<const std::string> names);

// Returns the end of an error about an unknown name: the similar names, each on a line of its own;
// "" without any. The message before it is unchanged for programs that parse errors.
std::string DidYouMean(std::string_view typed, std::span<const std::string> names);

}  // namespace cli
