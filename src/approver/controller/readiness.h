// SPDX-License-Identifier: Apache-2.0
// What must be known before anything is approved.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stop_token>

namespace controller {

// Readiness is reached when all that is needed is there. Thread-safe; outlives whoever is to tell.
class Readiness {
 public:
  // Need adds something to wait for. What it returns tells that it is there: once or often, from
  // any thread.
  std::function<void()> Need();

  bool Reached() const;
  // Wait returns when it is reached; false when asked to stop before.
  bool Wait(const std::stop_token& stop) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::size_t missing_ = 0;  // guarded by mutex_
};

}  // namespace controller
