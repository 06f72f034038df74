// When requests were made, for counting the recent ones.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "approver/facts.h"

namespace approver {

// IsRecent: created strictly inside (now − 1 h, now + 10 s).
bool IsRecent(Seconds created, Seconds now);

// PendingTimes counts requests by the second of their creation. Not thread-safe.
class PendingTimes {
 public:
  void Add(Seconds created);
  // Remove takes back one Add.
  void Remove(Seconds created);
  // Newest is nothing when there is none.
  std::optional<Seconds> Newest() const;
  std::size_t RecentAt(Seconds now) const;

 private:
  std::map<Seconds, std::size_t> counts_;
};

}  // namespace approver
