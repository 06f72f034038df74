// SPDX-License-Identifier: Apache-2.0
#include "evidence/kubelet_dials.h"

#include <algorithm>

namespace evidence {
namespace {

using judgement::Dialled;

constexpr int kRestsFor = 10;
constexpr std::chrono::seconds kLongestRest{60};

}  // namespace

Dialled KubeletDials::Dial(const std::string& node, const std::function<Dialled()>& dial) {
  const Time begin = clock_();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = failures_.find(node); found != failures_.end()) {
      if (begin < found->second.until) {
        return std::unexpected(found->second.problem + " (asked a moment ago)");
      }
      failures_.erase(found);
    }
  }
  Dialled dialled = dial();
  if (!dialled) {
    const Time end = clock_();
    const auto rest = std::min<Time::duration>((end - begin) * kRestsFor, kLongestRest);
    const std::lock_guard lock(mutex_);
    std::erase_if(failures_, [&](const auto& entry) { return entry.second.until <= end; });
    failures_[node] = {.problem = dialled.error(), .until = end + rest};
  }
  return dialled;
}

std::size_t KubeletDials::resting() const {
  const std::lock_guard lock(mutex_);
  return failures_.size();
}

}  // namespace evidence
