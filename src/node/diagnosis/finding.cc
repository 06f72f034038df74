// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/finding.h"

#include "base/strings.h"

namespace diagnosis {

std::string Finding::Text() const {
  std::string text = what;
  if (!evidence.empty()) {
    text += "\n\tevidence: " + base::ReplaceAll(evidence, "\n", "\n\t          ");
  }
  return text + "\n\tremedy: " + remedy;
}

std::string_view Name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kBroken:
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

}  // namespace diagnosis
