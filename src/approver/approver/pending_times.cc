#include "approver/pending_times.h"

namespace approver {
namespace {

constexpr Seconds kPendingFor = 3600;
constexpr Seconds kAhead = 10;

}  // namespace

bool IsRecent(Seconds created, Seconds now) {
  return created > now - kPendingFor && created < now + kAhead;
}

void PendingTimes::Add(Seconds created) { ++counts_[created]; }

void PendingTimes::Remove(Seconds created) {
  const auto found = counts_.find(created);
  if (--found->second == 0) {
    counts_.erase(found);
  }
}

std::optional<Seconds> PendingTimes::Newest() const {
  return counts_.empty() ? std::nullopt : std::optional(counts_.rbegin()->first);
}

std::size_t PendingTimes::RecentAt(Seconds now) const {
  std::size_t count = 0;
  for (auto at = counts_.upper_bound(now - kPendingFor);
       at != counts_.end() && IsRecent(at->first, now); ++at) {
    count += at->second;
  }
  return count;
}

}  // namespace approver
