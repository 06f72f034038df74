// SPDX-License-Identifier: Apache-2.0
// StatusLine: the last line of a terminal, which says what is waited for and for how long.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

namespace workflow {

// StatusLine is redrawn in place. Not for several threads at once: the owner holds a lock.
class StatusLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  StatusLine(std::ostream& out, std::size_t width) : out_(out), width_(width) {}

  // Set says what a step waits for, since `now` unless it waited already; nothing: it no longer
  // does.
  void Set(std::size_t step, std::optional<std::string> text, Time now);
  bool empty() const { return waits_.empty(); }

  // Draw shows the first step's text with the seconds gone, once that is at least one.
  void Draw(Time now);
  // Hide clears the line, so that other text can be written.
  void Hide();

 private:
  struct Wait {
    std::string text;
    Time since;
  };
  std::ostream& out_;
  std::size_t width_;
  std::map<std::size_t, Wait> waits_;
  bool shown_ = false;
};

}  // namespace workflow
