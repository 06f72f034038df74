// SPDX-License-Identifier: Apache-2.0
// Error and Interrupted: the exception types of the project (docs/adr/0001-errors.md).
//
// Both exceptions end a command. Callers add context to them, and only `main` prints them. If a
// function's direct caller branches on an outcome, the function returns a value instead:
// std::optional, an enum, or Problems.
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
    kAlreadyExists,  // a file or object exists and must not exist
    kConflict,       // another writer has changed the object since it was read
    kForbidden,      // the caller is authenticated, but not allowed
    kUnauthorized,   // the caller is not authenticated
    kTimeout,        // a timeout has expired
    kUnavailable,    // the server does not answer, or asks for a later retry
  };

  explicit Error(std::string message, std::source_location at = std::source_location::current())
      : Error(Kind::kOther, std::move(message), at) {}
  Error(Kind kind, std::string message, std::source_location at = std::source_location::current())
      : kind_(kind), message_(std::move(message)), trace_{at} {}

  // Prepend turns "message" into "what: message", and adds the place `at` to the trace.
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

// Ends work that the user, or a failure elsewhere, has stopped. Derives neither from Error nor from
// std::exception, so that handlers of failures do not catch it. Catch it only where the interrupted
// work ends, or in the function whose own stop source requested the stop.
class Interrupted {
 public:
  explicit Interrupted(std::string message,
                       std::source_location at = std::source_location::current())
      : report_(std::move(message), at) {}
  // Takes over the message and the trace of `report`.
  explicit Interrupted(Error report) : report_(std::move(report)) {}

  void Prepend(std::string_view what, std::source_location at = std::source_location::current()) {
    report_.Prepend(what, at);
  }

  const std::string& message() const { return report_.message(); }
  // The message and trace as an Error (kOther), to be printed.
  const Error& report() const { return report_; }

 private:
  Error report_;
};

// WithContext runs `body` and returns its result. If `body` throws an Error or Interrupted,
// WithContext puts "what: " before the message.
// Use WithContext only where the caller knows something that the message lacks.
template <typename F>
decltype(auto) WithContext(std::string_view what, F&& body,
                           std::source_location at = std::source_location::current()) {
  try {
    return body();
  } catch (Error& error) {
    error.Prepend(what, at);
    throw;
  } catch (Interrupted& interrupted) {
    interrupted.Prepend(what, at);
    throw;
  }
}

}  // namespace base
