// SPDX-License-Identifier: Apache-2.0
// Colours on a terminal. They follow words that say the same without them ("error:", "[WARNING
// Swap]", a table's heading, a diff's signs), so nobody needs to see them, and what is laid out in
// columns stays so.
#pragma once

#include <string>
#include <string_view>

namespace cli {

// LinePainter paints lines in their order: within a diff, a line's first sign counts.
class LinePainter {
 public:
  // Paint is the line, without its end, with ANSI sequences (ECMA-48 SGR) where it has something to
  // paint. `text` may be the beginning of a line of which more is to come: what is not whole yet is
  // left as it is.
  std::string Paint(std::string_view text);

 private:
  bool in_diff_ = false;
};

}  // namespace cli
