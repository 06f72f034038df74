// SPDX-License-Identifier: Apache-2.0
// How many requests are pending, where one node's are few.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "judgement/facts.h"

namespace requests {

// IsRecent: created strictly inside (now − 1 h, now + 10 s).
bool IsRecent(judgement::Time created, judgement::Time now);

// PendingCount counts requests by when they were made. Of one node no more than kMostOfANode count,
// its newest: a single kubelet's credential must not be enough to hold up all machines. Others who
// ask, the machine bootstrapper and owners of tokens, do so for many machines.
class PendingCount {
 public:
  // A kubelet asks again every quarter of an hour, and after each restart.
  static constexpr std::size_t kMostOfANode = 10;

  void Add(const std::string& user, judgement::Time created);
  // Remove takes back one Add of the same.
  void Remove(const std::string& user, judgement::Time created);
  // RecentAt is how many of those that count are recent (IsRecent).
  std::size_t RecentAt(judgement::Time now) const;

 private:
  void Count(judgement::Time created);
  void Discount(judgement::Time created);

  std::map<judgement::Time, std::size_t> counted_;
  std::map<std::string, std::multiset<judgement::Time>> of_nodes_;  // all, by user
};

}  // namespace requests
