// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "workflow/timeline/run.h"

namespace timeline {
namespace {

// The longest delay between the end of a wait and the beginning of its phase.
constexpr Milliseconds kSlack{20};

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Considers the bars before `of` that `counts` accepts. Returns the index of the one that ended
// last; kNone without such a bar.
template <typename Counts>
std::size_t LastEnded(std::span<const Bar> bars, std::size_t of, const Counts& counts) {
  std::size_t last = kNone;
  for (std::size_t i = 0; i < of; ++i) {
    const bool before = bars[i].end <= bars[of].begin && counts(bars[i]);
    if (before && (last == kNone || bars[i].end >= bars[last].end)) {
      last = i;
    }
  }
  return last;
}

// Returns the phase that kept a phase from beginning earlier. Prefers the last of its needed phases
// to end. If that phase ended too early to be the reason, returns a phase that occupied the thread
// until then.
std::size_t Before(std::span<const Bar> bars, std::size_t of) {
  const Bar& bar = bars[of];
  const auto soon = [&](const Bar& other) { return bar.begin - other.end <= kSlack; };
  const std::size_t needed = LastEnded(bars, of, [&](const Bar& other) {
    return std::ranges::find(bar.after, other.phase) != bar.after.end();
  });
  if (needed != kNone && soon(bars[needed])) {
    return needed;
  }
  const std::size_t freed = LastEnded(bars, of, soon);
  return freed != kNone ? freed : needed;
}

std::size_t LastOf(std::span<const Bar> bars) {
  const auto failed = std::ranges::find(bars, Bar::State::kFailed, &Bar::state);
  if (failed != bars.end()) {
    return static_cast<std::size_t>(failed - bars.begin());
  }
  // If several phases ended last, the path ends with the one that began last.
  std::size_t last = 0;
  for (std::size_t i = 1; i < bars.size(); ++i) {
    last = bars[i].end >= bars[last].end ? i : last;
  }
  return last;
}

}  // namespace

std::vector<std::size_t> CriticalPath(std::span<const Bar> bars) {
  std::vector<std::size_t> path;
  if (bars.empty()) {
    return path;
  }
  for (std::size_t at = LastOf(bars); at != kNone; at = Before(bars, at)) {
    path.push_back(at);
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace timeline
