// SPDX-License-Identifier: Apache-2.0
// Context: what a phase may do besides its work.
#pragma once

#include <optional>
#include <source_location>
#include <stop_token>
#include <string>
#include <string_view>

#include "json/fwd.h"

namespace workflow {

// Context is given to every phase. Its functions may be called from any thread.
class Context {
 public:
  virtual ~Context() = default;

  // Print shows whole lines on stdout; the final line end is added. Lines of phases that run side
  // by side come out in the order of the phase list.
  virtual void Print(std::string_view text) = 0;
  // Warn logs a warning, in its place among the lines.
  virtual void Warn(std::string_view text,
                    std::source_location at = std::source_location::current()) = 0;
  // Remark shows whole lines on stderr as they are, in their place among the lines: what a phase
  // has found out that has a form of its own. To a program it is a warning.
  virtual void Remark(std::string_view text) = 0;
  // Progress says what the phase is waiting for. A terminal shows it, with the time that went by,
  // once that is more than a second; nothing ends it. Nothing is shown elsewhere.
  virtual void Progress(std::optional<std::string_view> text) = 0;
  // Retry says that a try failed, and why, and that another one follows. Programs read it.
  virtual void Retry(std::string_view /*why*/) {}
  // Result hands a value to programs that read the events; people read what Print says.
  virtual void Result(std::string_view name, const json::Value& value) = 0;
  // FileWritten records a file as this run's own. Call it with the content's hash just before the
  // write: a crash in between then leaves a record without a file, which harms nobody, and never a
  // file without a record.
  virtual void FileWritten(const std::string& path, const std::string& sha256) = 0;
  // Stop is requested when another phase failed or the user interrupts: end soon, with
  // Error(kCancelled) if the work is not done.
  virtual std::stop_token Stop() const = 0;
};

}  // namespace workflow
