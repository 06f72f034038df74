// SPDX-License-Identifier: Apache-2.0
// Strings wrapped to a width.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

// The width of text for files and pipes, and the greatest width on a terminal.
inline constexpr std::size_t kPageWidth = 100;

// Returns the text width (40 to kPageWidth) for a terminal with `columns` columns. 0 columns mean a
// file or a pipe.
std::size_t PageWidth(std::size_t columns);

// Wraps a text to lines of at most `width` columns, broken at blanks. A longer word gets a separate
// line. Only the first line may begin with a dash, because on another line the dash would look like
// the beginning of a flag.
std::vector<std::string> Wrap(std::string_view text, std::size_t width);

// Puts a tab before every line except the first, unless the line already begins with a blank or a
// tab. A line end in an untrusted string then cannot forge a line of this program.
std::string HangingIndent(std::string_view text);

}  // namespace base
