// SPDX-License-Identifier: Apache-2.0
// Finding: a defect, as reported by every command: by a failed wait, and by `kubeadm doctor`.
#pragma once

#include <string>
#include <string_view>

namespace diagnosis {

// A note needs no action, a warning does no harm yet, a broken part does.
enum class Severity { kNote, kWarning, kBroken };

// The strength of the evidence.
enum class Confidence { kPossible, kLikely, kCertain };

// A defect, its certainty, and its remedy.
struct Finding {
  std::string id;  // "component-exits": docs/doctor.md has a row for each
  Severity severity = Severity::kBroken;
  std::string culprit;   // "kube-apiserver", a file, a member
  std::string what;      // "kube-apiserver has exited 3 times, last with code 1"
  std::string evidence;  // the evidence, such as the last words of its log; may be empty
  std::string remedy;    // the user's remedy
  Confidence sure = Confidence::kCertain;

  // Returns all of it, a line each.
  std::string Text() const;
};

// "note", "warning", "broken"; "possible", "likely", "certain".
std::string_view Name(Severity severity);
std::string_view Name(Confidence sure);

}  // namespace diagnosis
