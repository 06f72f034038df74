// SPDX-License-Identifier: Apache-2.0
// The preconditions of all approvals.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stop_token>

namespace controller {

// Waits for the facts that all approvals need. Thread-safe. Must outlive the functions that Need
// returns.
class Readiness {
 public:
  // Adds a fact to wait for. The caller calls the returned function when the fact is known. Further
  // calls, from any thread, have no effect.
  std::function<void()> Need();

  bool Reached() const;
  // Waits until all facts are present; returns false if a stop is requested first.
  bool Wait(const std::stop_token& stop) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::size_t missing_ = 0;  // guarded by mutex_
};

}  // namespace controller
