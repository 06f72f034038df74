// SPDX-License-Identifier: Apache-2.0
// What a component's last words mean: the cause, what helps against it, whether it can pass.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace diagnosis {

// Passing says whether a cause can end without anybody changing the configuration.
enum class Passing {
  kNever,         // the same arguments fail the same way
  kPerhaps,       // other members, addresses, ports of a program that is still ending: time heals
  kWithItsFile,   // a file may still come where somebody besides this program writes
  kWithDiskRoom,  // as long as the disk has no room
};

// Cause is a row of what is known about errors of a control plane's components. Its texts are
// literals.
struct Cause {
  std::string_view mark;    // what the error holds
  std::string_view remedy;  // {0} is the component, {1} its section of the configuration
  Passing passing = Passing::kPerhaps;
};

// CauseOf is the first row whose mark the line holds; null for words that nobody knows.
const Cause* CauseOf(std::string_view line);

// LastWords is the line with which a program said why it ends, as the components of a control plane
// do (klog's "command failed", the "Error:" of the command line, etcd's messages of the levels
// fatal and panic and those of Go's package flag). Nothing for what was stopped in the middle of
// its work: warnings before that are not a reason. etcd's JSON comes as "MESSAGE: ERROR".
std::optional<std::string> LastWords(std::span<const std::string> lines);

// SameWords tells whether two last words say the same: all but klog's header (time, thread), which
// no two lines have in common.
bool SameWords(std::string_view one, std::string_view other);

// MissingFiles are the files that the words call missing, each as an absolute path; nothing where
// one of them cannot be told, or none is named.
std::vector<std::string> MissingFiles(std::string_view words);

// RepeatedCause is that of the last two endings in one log, as of a program that its service starts
// again and again; null when there are not two, or nobody knows the words, or they differ.
const Cause* RepeatedCause(std::span<const std::string> lines);

// TellingLines are what a user needs to see of a log's end: the last words; else the last line with
// a known mark; else the last few lines, joined by line ends.
std::string TellingLines(std::span<const std::string> lines);

// RemedyOf is the row's text for a component. `section` of the configuration is where its arguments
// stand: "etcd.local".
std::string RemedyOf(const Cause& cause, std::string_view component, std::string_view section);

}  // namespace diagnosis
