// SPDX-License-Identifier: Apache-2.0
// Log lines on stderr in klog's form: "W1121 11:09:42.123456    4242 file.cc:17] message".
//
// Level 0 is always shown; higher levels need -v. Secrets are never logged at any level.
#pragma once

#include <fmt/core.h>

#include <source_location>
#include <string>
#include <string_view>

namespace base {

// Severity of a log line; lines below a warning depend on the verbosity (-v).
enum class Severity { kInfo, kWarning, kError };

// Sets the verbosity of LogInfo. `level` is for all files. `per_file` ("cri=5,wait*=3", klog's
// --vmodule) is for files whose name without suffix matches the pattern. Throws Error(kInvalid) for
// an invalid pattern.
void SetVerbosity(int level, std::string_view per_file = "");

// Returns whether LogInfo(level, …) at the source location `at` would print.
bool Verbose(int level, std::source_location at = std::source_location::current());

// Writes one whole line. Thread-safe.
void Log(Severity severity, std::string_view message, std::source_location at);

// A format string and its source location.
template <typename... Args>
struct LogFormat {
  template <typename Text>
  // NOLINTNEXTLINE(google-explicit-constructor): a call reads LogWarning("text {}", value).
  consteval LogFormat(const Text& text,
                      std::source_location place = std::source_location::current())
      : format(text), at(place) {}
  fmt::format_string<Args...> format;
  std::source_location at;
};

template <typename... Args>
void LogInfo(int level, LogFormat<std::type_identity_t<Args>...> text, Args&&... args) {
  if (Verbose(level, text.at)) {
    Log(Severity::kInfo, fmt::format(text.format, std::forward<Args>(args)...), text.at);
  }
}

template <typename... Args>
void LogWarning(LogFormat<std::type_identity_t<Args>...> text, Args&&... args) {
  Log(Severity::kWarning, fmt::format(text.format, std::forward<Args>(args)...), text.at);
}

template <typename... Args>
void LogError(LogFormat<std::type_identity_t<Args>...> text, Args&&... args) {
  Log(Severity::kError, fmt::format(text.format, std::forward<Args>(args)...), text.at);
}

}  // namespace base
