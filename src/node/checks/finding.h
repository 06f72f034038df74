// SPDX-License-Identifier: Apache-2.0
// A defect with its evidence and remedy. Preflight, doctor, upgrade paths and failed waits all
// report it (docs/adr/0009-checks.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace checks {

// The severity of a defect. An error causes harm now, a warning may cause harm in the future, and a
// note needs no action.
enum class Severity { kNote, kWarning, kError };

// The strength of the evidence.
enum class Confidence { kPossible, kLikely, kCertain };

// Finding is one defect.
struct Finding {
  std::string id;  // "Swap" (docs/errors.md), "component-exits" (docs/doctor.md)
  Severity severity = Severity::kError;
  std::string subject;   // "kube-apiserver", a file, a member, the minor version of a hop
  std::string what;      // "kube-apiserver has exited 3 times, last with code 1"
  std::string evidence;  // such as the last lines of its log; may be empty
  std::string remedy;
  Confidence sure = Confidence::kCertain;
  bool ignorable = false;  // the user may ignore the error: --ignore-preflight-errors, --force
  bool operator==(const Finding&) const = default;

  // Returns all parts of the finding, one per line.
  std::string Text() const;
};
using Findings = std::vector<Finding>;

// Warn creates a warning, Refuse an error that the user may ignore. The check adds its id and
// remedy.
Finding Warn(std::string what);
Finding Refuse(std::string what);

// Returns whether a finding is an error.
bool HasErrors(const Findings& findings);

// Returns the `what` of the findings of one severity.
std::vector<std::string> WhatOf(const Findings& findings, Severity severity);

// Moves all of `more` to the end of `findings`.
void Append(Findings& findings, Findings more);

// Return "note", "warning" or "broken", and "possible", "likely" or "certain".
std::string_view Name(Severity severity);
std::string_view Name(Confidence sure);

}  // namespace checks
