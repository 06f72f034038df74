// SPDX-License-Identifier: Apache-2.0
#include "base/wrap.h"

#include <algorithm>

#include "base/strings.h"

namespace base {

std::size_t PageWidth(std::size_t columns) {
  constexpr std::size_t kNarrowest = 40;
  return columns == 0 ? kPageWidth : std::clamp(columns, kNarrowest, kPageWidth);
}

std::vector<std::string> Wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& word) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (line.size() + 1 + word.size() <= width || word.starts_with('-')) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  };
  for (const std::string& paragraph : Lines(text)) {
    lines.emplace_back();
    std::ranges::for_each(Fields(paragraph), add);
  }
  return lines;
}

std::string HangingIndent(std::string_view text) {
  std::string out;
  char before = '\0';
  for (const char c : text) {
    if (before == '\n' && c != ' ' && c != '\t' && c != '\n') {
      out += '\t';
    }
    out += c;
    before = c;
  }
  return out;
}

}  // namespace base
