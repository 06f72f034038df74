// SPDX-License-Identifier: Apache-2.0
// "Did you mean": names near to one that does not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

// EditDistance counts the letters to insert, delete or replace to make one text the other
// (Levenshtein), letter case ignored.
std::size_t EditDistance(std::string_view a, std::string_view b);

// Similar is the names within two edits of `typed`, or which it begins, in the order given.
std::vector<std::string> Similar(std::string_view typed, std::span<const std::string> names);

// DidYouMean is what an error about an unknown name ends with: the names similar to the typed one,
// each on a line of its own; "" when there are none. A program that reads errors finds the words
// before it as they were.
std::string DidYouMean(std::string_view typed, std::span<const std::string> names);

}  // namespace cli
