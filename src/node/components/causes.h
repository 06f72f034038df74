// SPDX-License-Identifier: Apache-2.0
// The meaning of the error with which a component has exited: the cause, the remedy, and whether
// the cause is transient.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace components {

// The way in which a cause can disappear without the user.
enum class Passing {
  // The cause is permanent: another start with the same arguments fails in the same way.
  kNever,
  // The cause may disappear by itself: another etcd member starts, an address appears, or an ending
  // program releases its port.
  kPerhaps,
  // The cause disappears if another program creates the missing file. It is permanent for a file
  // outside of all mounts.
  kWithItsFile,
  // The cause is permanent while the disk is full.
  kWithDiskRoom,
};

// A known error of a control plane's components. Its strings are literals.
struct Cause {
  std::string_view mark;    // a substring of the error
  std::string_view remedy;  // {0} is the component, {1} its section of the configuration
  Passing passing = Passing::kPerhaps;
};

// Returns the first row whose mark the line contains; nullptr for an unknown line.
const Cause* CauseOf(std::string_view line);

// Returns the reason line, in which a program reports why it exits. Reason lines are klog's
// "command failed", and "Error:" of the command line. For etcd they are its messages of the levels
// fatal and panic, and the messages of Go's package flag. Returns std::nullopt if the log has no
// reason line, for example after a stop. Earlier warnings do not explain the exit. Converts etcd's
// JSON to "MESSAGE: ERROR".
std::optional<std::string> LastWords(std::span<const std::string> lines);

// Returns whether two reason lines are equal except for klog's header (time, thread), which always
// differs.
bool SameWords(std::string_view one, std::string_view other);

// Returns the absolute paths of the files that the message calls missing. Returns an empty list if
// it names none, or if a path is ambiguous.
std::vector<std::string> MissingFiles(std::string_view words);

// Returns the common cause of the last two exits in a program's log. A service manager restarts
// this program. Returns nullptr if the log has fewer than two exits, if a cause is unknown, or if
// the causes differ.
const Cause* RepeatedCause(std::span<const std::string> lines);

// Returns the relevant lines of a log: the reason line, or else the last line with a known mark.
// Without either, returns the last few lines, joined by newlines.
std::string TellingLines(std::span<const std::string> lines);

// Returns the remedy in this row, worded for a component. `section` is the field of the
// configuration that contains the component's arguments: "etcd.local".
std::string RemedyOf(const Cause& cause, std::string_view component, std::string_view section);

}  // namespace components
