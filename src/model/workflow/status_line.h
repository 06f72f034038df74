// SPDX-License-Identifier: Apache-2.0
// StatusLine: the last line of a terminal, with the subject and duration of a wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

namespace workflow {

// Redrawn in place. Not thread-safe: the owner holds a lock.
class StatusLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  StatusLine(std::ostream& out, std::size_t width) : out_(out), width_(width) {}

  // Sets the text of a step's wait; std::nullopt ends the wait. A new wait begins at `now`; an
  // existing wait keeps its beginning.
  void Set(std::size_t step, std::optional<std::string> text, Time now);
  bool empty() const { return waits_.empty(); }

  // Shows the first step's message with the elapsed seconds, if at least one second has elapsed.
  void Draw(Time now);
  // Clears the line, so that other text can be written.
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
