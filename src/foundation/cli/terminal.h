// SPDX-License-Identifier: Apache-2.0
// Output that may reach a terminal. Most output quotes untrusted strings: from a server, a Node or
// a file. A Terminal escapes control bytes in everything that is written to its two streams, so no
// other code has to escape its output.
#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace cli {

// Marks structured output (JSON, YAML, templates, scripts) that a program reads. The output is
// unchanged in a file or a pipe, and escaped on a terminal. Use: out << Exact{text}.
struct Exact {
  std::string_view text;
};
std::ostream& operator<<(std::ostream& out, Exact exact);

// ClearLine moves the cursor to the start of its line and clears the line (ECMA-48 CR, EL).
struct ClearLine {};
std::ostream& operator<<(std::ostream& out, ClearLine);

// ClearLines moves the cursor up that many lines, to the start of the line. Then it clears the rest
// of the screen (ECMA-48 CUU, CR, ED).
struct ClearLines {
  std::size_t above;
};
std::ostream& operator<<(std::ostream& out, ClearLines clear);

// Guards a program's standard output and standard error during its lifetime. Escapes text
// (base::Visible) except for line ends and tabs, and paints it if colours are on. The bytes of a
// code point may arrive in pieces. Not thread-safe, like the streams.
class Terminal {
 public:
  // Facts about the terminal, used by "auto".
  struct Facts {
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    std::string no_color;  // $NO_COLOR: anything but "" disables colours (no-color.org)
    std::string terminal;  // $TERM: "dumb" disables colours
  };

  // Takes over the buffers of both streams, which must outlive it; colours begin as "auto".
  Terminal(std::ostream& out, std::ostream& err, Facts facts);
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  // Restores the streams' own buffers, and flushes all output.
  ~Terminal();

  // Accepts "auto" (if a stream is a terminal), "always" or "never". Throws base::Error(kUsage) for
  // other words.
  void ChooseColors(std::string_view when);

 private:
  class Guard;  // the buffer of a guarded stream

  friend std::ostream& operator<<(std::ostream& out, Exact exact);
  friend std::ostream& operator<<(std::ostream& out, ClearLine);
  friend std::ostream& operator<<(std::ostream& out, ClearLines clear);

  Facts facts_;
  std::unique_ptr<Guard> out_;
  std::unique_ptr<Guard> err_;
};

}  // namespace cli
