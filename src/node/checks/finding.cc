// SPDX-License-Identifier: Apache-2.0
#include "checks/finding.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace checks {

std::string Finding::Text() const {
  std::string text = what;
  if (!evidence.empty()) {
    text += "\n\tevidence: " + base::ReplaceAll(evidence, "\n", "\n\t          ");
  }
  return text + "\n\tremedy: " + remedy;
}

Finding Warn(std::string what) { return {.severity = Severity::kWarning, .what = std::move(what)}; }

Finding Refuse(std::string what) { return {.what = std::move(what), .ignorable = true}; }

bool HasErrors(const Findings& findings) {
  return std::ranges::contains(findings, Severity::kError, &Finding::severity);
}

std::vector<std::string> WhatOf(const Findings& findings, Severity severity) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings) {
    if (finding.severity == severity) {
      texts.push_back(finding.what);
    }
  }
  return texts;
}

void Append(Findings& findings, Findings more) {
  std::ranges::move(more, std::back_inserter(findings));
}

std::string_view Name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      break;
  }
  return "broken";
}

std::string_view Name(Confidence sure) {
  switch (sure) {
    case Confidence::kPossible:
      return "possible";
    case Confidence::kLikely:
      return "likely";
    case Confidence::kCertain:
      break;
  }
  return "certain";
}

}  // namespace checks
