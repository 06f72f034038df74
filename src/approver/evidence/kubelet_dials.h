// SPDX-License-Identifier: Apache-2.0
// Kubelets that keep whoever dials them waiting: each may cost only so much.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "judgement/facts.h"

namespace evidence {

// KubeletDials lets a node whose kubelet showed no certificate rest for ten times as long as it
// took to find that out, a minute at most: one that is restarting is asked again at once, one that
// hangs costs a tenth of a worker. Thread-safe.
class KubeletDials {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Clock = std::function<Time()>;

  explicit KubeletDials(Clock clock) : clock_(std::move(clock)) {}

  // Dial is what `dial` brings, or what it brought last while the node rests.
  judgement::Dialled Dial(const std::string& node, const std::function<judgement::Dialled()>& dial);
  // resting is how many nodes are remembered.
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
