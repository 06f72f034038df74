// SPDX-License-Identifier: Apache-2.0
// The number of pending requests, with a limit for each node.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "judgement/facts.h"

namespace requests {

// Returns whether `created` is strictly inside (now − 1 h, now + 10 s).
bool IsRecent(judgement::Time created, judgement::Time now);

// Counts pending requests by their creation time. For each node only the newest kMostOfANode
// requests count, so that a single kubelet's credential cannot block all machines. This limit does
// not apply to the machine bootstrapper and owners of tokens, because they serve many machines.
class PendingCount {
 public:
  // The maximum number of counted requests per node. A kubelet creates another request every
  // quarter of an hour, and after each restart.
  static constexpr std::size_t kMostOfANode = 10;

  void Add(const std::string& user, judgement::Time created);
  // Reverts one Add with the same arguments.
  void Remove(const std::string& user, judgement::Time created);
  // Returns how many of the counted requests are recent (IsRecent).
  std::size_t RecentAt(judgement::Time now) const;

 private:
  void Count(judgement::Time created);
  void Discount(judgement::Time created);

  std::map<judgement::Time, std::size_t> counted_;
  // All pending requests of each node, by user, including those that are not counted.
  std::map<std::string, std::multiset<judgement::Time>> of_nodes_;
};

}  // namespace requests
