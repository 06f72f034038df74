// SPDX-License-Identifier: Apache-2.0
// Finding: something that is not well, as every command tells it: a wait that failed, and
// `kubeadm doctor`.
#pragma once

#include <string>
#include <string_view>

namespace diagnosis {

// Severity: a note needs nothing to be done, a warning does no harm yet, what is broken does.
enum class Severity { kNote, kWarning, kBroken };

// Confidence says how far the evidence goes.
enum class Confidence { kPossible, kLikely, kCertain };

// Finding is what is wrong, how sure that is, and what to do.
struct Finding {
  std::string id;  // "component-exits": docs/doctor.md has a row for each
  Severity severity = Severity::kBroken;
  std::string culprit;   // "kube-apiserver", a file, a member
  std::string what;      // "kube-apiserver has exited 3 times, last with code 1"
  std::string evidence;  // what was seen, such as the last words of its log; may be empty
  std::string remedy;    // what the user can do
  Confidence sure = Confidence::kCertain;

  // Text is all of it, a line each.
  std::string Text() const;
};

// "note", "warning", "broken"; "possible", "likely", "certain".
std::string_view Name(Severity severity);
std::string_view Name(Confidence sure);

}  // namespace diagnosis
