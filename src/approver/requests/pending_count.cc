// SPDX-License-Identifier: Apache-2.0
#include "requests/pending_count.h"

#include <algorithm>
#include <iterator>

#include "judgement/names.h"

namespace requests {
namespace {

using judgement::Time;

constexpr std::chrono::hours kPendingFor{1};
constexpr std::chrono::seconds kAhead{10};

// Returns the time of the newest request that does not count. Precondition: the number of requests
// is above the limit. If several requests have this time, it does not matter which one counts.
Time NewestBeyond(const std::multiset<Time>& times) {
  return *std::prev(times.end(), PendingCount::kMostOfANode + 1);
}

}  // namespace

bool IsRecent(Time created, Time now) {
  return created > now - kPendingFor && created < now + kAhead;
}

void PendingCount::Add(const std::string& user, Time created) {
  Count(created);
  if (!judgement::NodeNameOf(user)) {
    return;
  }
  std::multiset<Time>& times = of_nodes_[user];
  times.insert(created);
  if (times.size() > kMostOfANode) {
    // the request, or the one that it has displaced
    Discount(std::min(created, NewestBeyond(times)));
  }
}

void PendingCount::Remove(const std::string& user, Time created) {
  const auto node = of_nodes_.find(user);
  if (node == of_nodes_.end()) {
    return Discount(created);
  }
  std::multiset<Time>& times = node->second;
  const bool more = times.size() > kMostOfANode;
  if (!more || created > NewestBeyond(times)) {  // it was one of those counted
    if (more) {
      Count(NewestBeyond(times));
    }
    Discount(created);
  }
  times.erase(times.find(created));
  if (times.empty()) {
    of_nodes_.erase(node);
  }
}

std::size_t PendingCount::RecentAt(Time now) const {
  std::size_t sum = 0;
  for (auto at = counted_.upper_bound(now - kPendingFor);
       at != counted_.end() && IsRecent(at->first, now); ++at) {
    sum += at->second;
  }
  return sum;
}

void PendingCount::Count(Time created) { ++counted_[created]; }

void PendingCount::Discount(Time created) {
  const auto at = counted_.find(created);
  if (--at->second == 0) {
    counted_.erase(at);
  }
}

}  // namespace requests
