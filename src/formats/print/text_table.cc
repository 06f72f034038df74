// SPDX-License-Identifier: Apache-2.0
#include "print/text_table.h"

#include <algorithm>
#include <cstddef>

#include "base/utf8.h"

namespace print {
namespace {

constexpr std::size_t kMinimumWidth = 10;
constexpr std::size_t kPadding = 3;

// Returns the number of code points: bytes other than the continuation bytes of UTF-8.
std::size_t Width(const std::string& cell) {
  return static_cast<std::size_t>(
      std::ranges::count_if(cell, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string TextTable(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) {
      cell = base::Visible(cell);
    }
  }
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), kMinimumWidth);
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      widths[i] = std::max(widths[i], Width(row[i]) + kPadding);
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) {
        text.append(widths[i] - Width(row[i]), ' ');
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace print
