// SPDX-License-Identifier: Apache-2.0
#include "cli/input.h"

#include <fmt/core.h>

#include "base/error.h"

namespace cli {
namespace {

constexpr std::size_t kLargestInput = std::size_t{64} << 20;
constexpr std::size_t kLongestLine = std::size_t{64} << 10;

[[noreturn]] void Refuse(std::string_view what, std::size_t most) {
  throw base::Error(base::Error::Kind::kInvalid,
                    fmt::format("{} on standard input is longer than {} KiB", what, most >> 10));
}

}  // namespace

std::string ReadInput(std::istream& in) {
  std::string text;
  char piece[65'536];
  while (in.read(piece, sizeof piece), in.gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestInput) {
      Refuse("the text", kLargestInput);
    }
  }
  return text;
}

std::string ReadLine(std::istream& in) {
  std::string line;
  for (char c = 0; in.get(c) && c != '\n';) {
    line += c;
    if (line.size() > kLongestLine) {
      Refuse("a line", kLongestLine);
    }
  }
  return line;
}

}  // namespace cli
