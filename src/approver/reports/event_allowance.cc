// SPDX-License-Identifier: Apache-2.0
#include "reports/event_allowance.h"

#include <algorithm>

namespace reports {

bool EventAllowance::Take(const std::string& requester, std::chrono::sys_seconds now) {
  if (whole_at_.size() >= kMostRequesters && !whole_at_.contains(requester)) {
    std::erase_if(whole_at_, [now](const auto& entry) { return entry.second <= now; });
    if (whole_at_.size() >= kMostRequesters) {
      return false;
    }
  }
  std::chrono::sys_seconds& whole_at = whole_at_[requester];
  const auto most = now + kBurst * kEach;
  whole_at = std::clamp(whole_at, now, most);  // limits the silence after a clock is set back
  if (whole_at == most) {
    return false;
  }
  whole_at += kEach;
  return true;
}

}  // namespace reports
