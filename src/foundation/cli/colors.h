// SPDX-License-Identifier: Apache-2.0
// Colours on a terminal. They follow words that say the same without them ("error:", "[WARNING
// Swap]", a table's heading, a diff's signs), so nobody needs to see them, and what is laid out in
// columns stays so. What goes into files and pipes is not touched: there the stream keeps its own
// buffer.
#pragma once

#include <memory>
#include <ostream>
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

// Colors decides for a program's two streams, which outlive it.
class Colors {
 public:
  // Facts are what "auto" decides by.
  struct Facts {
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    std::string no_color;  // $NO_COLOR: anything but "" is a no (no-color.org)
    std::string terminal;  // $TERM: "dumb" knows no colours
  };

  // Begins as if "auto" had been chosen.
  Colors(std::ostream& out, std::ostream& err, Facts facts);
  Colors(const Colors&) = delete;
  Colors& operator=(const Colors&) = delete;
  // Gives the streams their own buffers back, with all that was written.
  ~Colors();

  // Choose takes "auto" (where a stream is a terminal), "always" or "never". Throws
  // base::Error(kUsage) for other words.
  void Choose(std::string_view when);

 private:
  class Painted;  // a stream whose lines are painted while it exists

  static void Set(std::unique_ptr<Painted>& painted, std::ostream& stream, bool on);

  std::ostream& out_;
  std::ostream& err_;
  Facts facts_;
  std::unique_ptr<Painted> painted_out_;
  std::unique_ptr<Painted> painted_err_;
};

}  // namespace cli
