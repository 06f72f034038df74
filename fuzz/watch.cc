// SPDX-License-Identifier: Apache-2.0
// The stream of a watch: its lines are the same however the network splits it, and each is JSON or
// an error. The first byte says how it is split, the second how long a line may be.
#include <optional>
#include <vector>

#include "fuzz.h"
#include "json/value.h"
#include "kube/line_reader.h"

namespace {

struct Heard {
  std::vector<std::string> lines;
  bool too_long = false;
  bool operator==(const Heard&) const = default;
};

// Reads `text` in pieces whose sizes come from `seed`; 0: in one piece.
Heard Hear(std::string_view text, std::size_t longest, unsigned seed) {
  Heard heard;
  kube::LineReader reader(longest);
  heard.too_long = fuzz::Refused([&] {
    do {
      seed = seed * 1103515245 + (seed == 0 ? 0 : 12345);
      const std::size_t size = seed == 0 ? text.size() : (seed >> 16) % 9;
      const std::string_view piece = text.substr(0, size);
      reader.Feed(piece, [&](std::string_view line) {
        heard.lines.emplace_back(line);
        return true;
      });
      text.remove_prefix(piece.size());
    } while (!text.empty());
  });
  return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const std::string_view text = fuzz::Text(bytes + 2, size - 2);
  const std::size_t longest = std::size_t{bytes[1]} * 8;
  const Heard whole = Hear(text, longest, 0);
  fuzz::Require(Hear(text, longest, bytes[0] + 1U) == whole, "lines do not depend on the cuts");
  std::size_t heard = 0;
  for (const std::string& line : whole.lines) {
    fuzz::Require(line.size() <= longest && line.find('\n') == line.npos, "a line is one");
    fuzz::Require(text.substr(heard, line.size()) == line, "lines are what came, in order");
    heard += line.size() + 1;
    fuzz::Refused([&] {
      const json::Value event = json::Parse(line);
      json::TextAt(event, {"type"});
      json::TextAt(event, {"object", "metadata", "resourceVersion"});
    });
  }
  if (!whole.too_long) {
    fuzz::Require(text.find('\n', heard) == text.npos, "no line is lost");
  }
  return 0;
}
