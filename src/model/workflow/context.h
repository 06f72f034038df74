// SPDX-License-Identifier: Apache-2.0
// Context: the services of a run for its phases.
#pragma once

#include <optional>
#include <source_location>
#include <stop_token>
#include <string>
#include <string_view>

#include "json/fwd.h"

namespace workflow {

// Passed to every phase. Thread-safe.
class Context {
 public:
  virtual ~Context() = default;

  // Prints whole lines on stdout, and adds the final line end. The output of concurrent phases
  // appears in the order of the phase list.
  virtual void Print(std::string_view text) = 0;
  // Logs a warning, in its position among the lines.
  virtual void Warn(std::string_view text,
                    std::source_location at = std::source_location::current()) = 0;
  // Prints whole lines unchanged on stderr, in order with the other lines. For findings of a phase
  // that have their own format. Programs that read events get a warning instead.
  virtual void Remark(std::string_view text) = 0;
  // Reports what the phase is waiting for; std::nullopt ends the report. Only a terminal shows the
  // report, after a second, with the elapsed time.
  virtual void Progress(std::optional<std::string_view> text) = 0;
  // Reports a failed attempt with its reason, before the next one. For programs.
  virtual void Retry(std::string_view /*why*/) {}
  // Passes a value to programs that read the events; humans read the output of Print.
  virtual void Result(std::string_view name, const json::Value& value) = 0;
  // Records that this run wrote a file. Call it with the content's hash just before the write. A
  // crash before the write then leaves a harmless record without a file, but never a file without a
  // record.
  virtual void FileWritten(const std::string& path, const std::string& sha256) = 0;
  // Reverts FileWritten after the phase has removed the file, for example a temporary file.
  virtual void FileRemoved(const std::string& /*path*/) {}
  // Returns a token that is stopped when another phase fails or the user interrupts the run. Then
  // the phase must end soon. It must throw base::Interrupted if its work is not done.
  virtual std::stop_token Stop() const = 0;
};

}  // namespace workflow
