// SPDX-License-Identifier: Apache-2.0
// The number of pending requests, with a limit for each node.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "judgement/facts.h"

namespace requests {

// Returns whether it was created strictly inside (now − 1 h, now + 10 s).
bool IsRecent(judgement::Time created, judgement::Time now);

// Counts pending requests by their creation time. For each node only the newest kMostOfANode
// requests count, so that a single kubelet's credential cannot block all machines. This limit does
// not apply to the machine bootstrapper and owners of tokens, because they serve many machines.
class PendingCount {
 public:
  // A kubelet asks again every quarter of an hour, and after each restart.
  static constexpr std::size_t kMostOfANode = 10;

  void Add(const std::string& user, judgement::Time created);
  // Reverts one Add with the same arguments.
  void Remove(const std::string& user, judgement::Time created);
  // Returns how many of the counted ones are recent (IsRecent).
  std::size_t RecentAt(judgement::Time now) const;

 private:
  void Count(judgement::Time created);
  void Discount(judgement::Time created);

  std::map<judgement::Time, std::size_t> counted_;
  std::map<std::string, std::multiset<judgement::Time>> of_nodes_;  // all, by user
};

}  // namespace requests
