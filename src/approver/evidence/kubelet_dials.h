// SPDX-License-Identifier: Apache-2.0
// A limit on the cost of kubelets that hang when dialled.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "judgement/facts.h"

namespace evidence {

// Limits dials of failing kubelets. After a failed dial the node is not dialled for ten times the
// duration of this dial, at most a minute. Dials to a restarting kubelet fail quickly, so the
// kubelet is retried soon. A hanging kubelet occupies at most a tenth of a worker's time.
// Thread-safe.
class KubeletDials {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Clock = std::function<Time()>;

  explicit KubeletDials(Clock clock) : clock_(std::move(clock)) {}

  // Returns the result of `dial`. During the pause after a failed dial, returns the last result
  // without a dial.
  judgement::Dialled Dial(const std::string& node, const std::function<judgement::Dialled()>& dial);
  // Returns the number of nodes whose last failed dial is remembered.
  std::size_t resting() const;

 private:
  struct Failure {
    std::string problem;
    Time until;
  };

  Clock clock_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Failure> failures_;  // guarded by mutex_; by node
};

}  // namespace evidence
