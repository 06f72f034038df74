// SPDX-License-Identifier: Apache-2.0
// Texts cut into lines of a width.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

// kPageWidth is that of texts that nobody reads on a terminal, and the most on one.
inline constexpr std::size_t kPageWidth = 100;

// PageWidth is the width of texts on a terminal of so many columns: 40 to kPageWidth. 0 columns are
// not terminal, but a file or a pipe.
std::size_t PageWidth(std::size_t columns);

// Wrap gives lines of at most `width` columns, cut at blanks; a longer word stands alone. No line
// but a text's first begins with a dash: it would read as a flag of its own.
std::vector<std::string> Wrap(std::string_view text, std::size_t width);

// HangingIndent puts a tab before each line after the first that does not begin with a blank or a
// tab: a line end in a stranger's string then begins no line that looks like one of ours.
std::string HangingIndent(std::string_view text);

}  // namespace base
