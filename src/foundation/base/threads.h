// SPDX-License-Identifier: Apache-2.0
// Threads that lose no exception.
#pragma once

#include <concepts>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace base {

// Threads runs bodies side by side. What a body throws, of whatever type, does not end the program
// but is thrown by Join.
class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  // The bodies are asked to stop and waited for; what they threw and nobody joined for is lost.
  ~Threads() = default;

  // Add starts a body: void(), or void(const std::stop_token&) that ends when it is asked to.
  // Throws std::system_error when the system has no thread left.
  template <typename Body>
  void Add(Body body) {
    threads_.emplace_back([this, body = std::move(body)](const std::stop_token& stop) mutable {
      try {
        if constexpr (std::invocable<Body&, const std::stop_token&>) {
          body(stop);
        } else {
          body();
        }
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = failure_ ? failure_ : std::current_exception();
      }
    });
  }

  // Join waits until all have ended by themselves and throws what the first of them threw.
  void Join() {
    for (std::jthread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
    if (failure_) {
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;         // guarded by mutex_ while threads run
  std::vector<std::jthread> threads_;  // last: they use the rest
};

}  // namespace base
