// SPDX-License-Identifier: Apache-2.0
// Error: the one exception type of the project (docs/adr/0001-errors.md).
//
// An Error ends a command and gains context on its way up; only `main` prints it. Where the direct
// caller branches on an outcome, it is a value instead: std::optional, an enum, or Problems.
#pragma once

#include <exception>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// A failure: a sentence for the user, and its kind.
class Error : public std::exception {
 public:
  // The only part that a caller may branch on.
  enum class Kind {
    kOther,
    kUsage,          // the command line is wrong
    kInvalid,        // an input file, a flag's value or an object is wrong
    kNotFound,       // a file or object does not exist
    kAlreadyExists,  // it exists and must not
    kConflict,       // another writer has changed it since
    kForbidden,      // known caller, not allowed
    kUnauthorized,   // unknown caller
    kTimeout,        // it took longer than allowed
    kUnavailable,    // no answer, or "try again later"
    kCancelled,      // the user or another failure stopped it
  };

  explicit Error(std::string message, std::source_location at = std::source_location::current())
      : Error(Kind::kOther, std::move(message), at) {}
  Error(Kind kind, std::string message, std::source_location at = std::source_location::current())
      : kind_(kind), message_(std::move(message)), trace_{at} {}

  // Prepend turns "message" into "what: message" and notes one more hop.
  void Prepend(std::string_view what, std::source_location at = std::source_location::current());

  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const { return message_; }
  Kind kind() const { return kind_; }

  // trace lists where the error was thrown and each place that added context, innermost first.
  const std::vector<std::source_location>& trace() const { return trace_; }

 private:
  Kind kind_;
  std::string message_;
  std::vector<std::source_location> trace_;
};

// WithContext runs `body` and returns its result; an Error that leaves it gains "what: ".
// Use it only where the caller knows something that the message lacks.
template <typename F>
decltype(auto) WithContext(std::string_view what, F&& body,
                           std::source_location at = std::source_location::current()) {
  try {
    return body();
  } catch (Error& error) {
    error.Prepend(what, at);
    throw;
  }
}

}  // namespace base
