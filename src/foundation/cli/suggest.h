// SPDX-License-Identifier: Apache-2.0
// "Did you mean": names similar to an unknown one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

// EditDistance returns the number of letters to insert, delete or replace to turn one text into the
// other (Levenshtein). Ignores letter case.
std::size_t EditDistance(std::string_view a, std::string_view b);

// Returns the names within two edits of `typed` and the names that begin with `typed`, in the given
// order.
std::vector<std::string> Similar(std::string_view typed, std::span<const std::string> names);

// Returns the end of an error about an unknown name: the similar names, one per line; "" without
// similar names. The message before this end stays unchanged, for programs that parse errors.
std::string DidYouMean(std::string_view typed, std::span<const std::string> names);

}  // namespace cli
