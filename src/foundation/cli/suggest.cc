// SPDX-License-Identifier: Apache-2.0
#include "cli/suggest.h"

#include <algorithm>

#include "base/strings.h"

namespace cli {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  const std::string left = base::ToLower(a);
  const std::string right = base::ToLower(b);
  std::vector<std::size_t> row(right.size() + 1);  // distances from the letters of `left` so far
  std::ranges::generate(row, [next = std::size_t{0}]() mutable { return next++; });
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> Similar(std::string_view typed, std::span<const std::string> names) {
  constexpr std::size_t kFar = 3;
  const std::string prefix = base::ToLower(typed);
  std::vector<std::string> similar;
  for (const std::string& name : names) {
    if (EditDistance(typed, name) < kFar || base::ToLower(name).starts_with(prefix)) {
      similar.push_back(name);
    }
  }
  return similar;
}

std::string DidYouMean(std::string_view typed, std::span<const std::string> names) {
  const std::vector<std::string> similar = Similar(typed, names);
  return similar.empty() ? "" : "\n\nDid you mean this?\n\t" + base::Join(similar, "\n\t") + "\n";
}

}  // namespace cli
