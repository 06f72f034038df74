// SPDX-License-Identifier: Apache-2.0
#include "cli/colors.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"

namespace cli {
namespace {

constexpr std::string_view kRed = "1;31";
constexpr std::string_view kGreen = "32";
constexpr std::string_view kYellow = "1;33";
constexpr std::string_view kCyan = "36";
constexpr std::string_view kBold = "1";

// A line that begins with `text` is painted up to the end of `text`, or up to the next `until`.
struct Beginning {
  std::string_view text;
  std::string_view color;
  char until = 0;
};
constexpr Beginning kBeginnings[] = {
    {"error:", kRed},          {"broken:", kRed},           {"\t[ERROR ", kRed, ']'},
    {"[ERROR ", kRed, ']'},    {"warning:", kYellow},       {"\t[WARNING ", kYellow, ']'},
    {"Warning:", kYellow},     {"[WARNING ", kYellow, ']'}, {"note:", kCyan},
    {"  remedy:", kGreen},     {"  should be:", kGreen},    {"  on disk:", kYellow},
    {"  runs with:", kYellow}, {"  passed ", kGreen},       {"  FAILED ", kRed},
};

// The text for an expired validity in tables.
constexpr std::string_view kOver = "<invalid>";

std::string InColor(std::string_view text, std::string_view color) {
  return fmt::format("\x1b[{}m{}\x1b[0m", color, text);
}

// Returns whether a line is the head of a table: capitals in columns, "CERTIFICATE   EXPIRES".
bool IsTableHead(std::string_view line) {
  const auto in_head = [](char c) { return (c >= 'A' && c <= 'Z') || c == ' '; };
  return line.contains("  ") && line.front() != ' ' && std::ranges::all_of(line, in_head);
}

std::string_view DiffColor(std::string_view line) {
  switch (line.front()) {
    case '+':
      return kGreen;
    case '-':
      return kRed;
    case '@':
      return kCyan;
    default:
      return "";
  }
}

std::string PaintWords(std::string_view line) {
  return base::ReplaceAll(std::string(line), std::string(kOver), InColor(kOver, kRed));
}

}  // namespace

std::string LinePainter::Paint(std::string_view text) {
  if (text.empty()) {
    in_diff_ = false;
    return "";
  }
  in_diff_ = text.starts_with("@@ ") || (in_diff_ && std::string_view("+- @\\").contains(text[0]));
  if (in_diff_) {
    const std::string_view color = DiffColor(text);
    return color.empty() ? std::string(text) : InColor(text, color);
  }
  for (const Beginning& row : kBeginnings) {
    if (text.starts_with(row.text)) {
      const std::size_t end = row.until == 0 ? row.text.size() : text.find(row.until) + 1;
      if (end != 0) {
        return InColor(text.substr(0, end), row.color) + PaintWords(text.substr(end));
      }
    }
  }
  return IsTableHead(text) ? InColor(text, kBold) : PaintWords(text);
}

}  // namespace cli
