// SPDX-License-Identifier: Apache-2.0
// Colours on a terminal. They only repeat the meaning of words ("error:", "[WARNING Swap]", a
// table's heading, a diff's signs). Output is complete without them, and columns keep their widths.
#pragma once

#include <string>
#include <string_view>

namespace cli {

// Paints lines in their order: within a diff, the first character of a line decides its colour.
class LinePainter {
 public:
  // Returns the line, without its end, painted with ANSI sequences (ECMA-48 SGR). `text` may be the
  // beginning of an unfinished line; its incomplete parts stay unpainted.
  std::string Paint(std::string_view text);

 private:
  bool in_diff_ = false;
};

}  // namespace cli
