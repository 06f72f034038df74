// SPDX-License-Identifier: Apache-2.0
#include "base/problems.h"

#include <set>

#include "base/error.h"
#include "base/strings.h"

namespace base {

void Problems::Append(const Problems& more) {
  list_.insert(list_.end(), more.list_.begin(), more.list_.end());
}

std::string Problems::Text() const {
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const Problem& problem : list_) {
    if (std::string text = problem.Text(); seen.insert(text).second) {
      texts.push_back(std::move(text));
    }
  }
  if (texts.size() == 1) {
    return texts.front();
  }
  return "[" + Join(texts, ", ") + "]";
}

void Problems::ThrowIfAny() const {
  if (!empty()) {
    throw Error(Error::Kind::kInvalid, Text());
  }
}

std::string InvalidValue(const std::string& value_shown, const std::string& detail) {
  return "Invalid value: " + value_shown + ": " + detail;
}

std::string WithheldValue(const std::string& secret, const std::string& detail) {
  return InvalidValue(secret.empty() ? "\"\"" : "<withheld>", detail);
}

std::string RequiredValue(const std::string& detail) {
  return detail.empty() ? "Required value" : "Required value: " + detail;
}

}  // namespace base
