// SPDX-License-Identifier: Apache-2.0
// Threads that propagate exceptions.
#pragma once

#include <concepts>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace base {

// Runs bodies concurrently. Join throws the first exception of a body, of any type.
class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  // Requests a stop of all bodies and waits for them. Exceptions that were not joined are lost.
  ~Threads() = default;

  // Add runs `body` on a new thread. `body` is a void() or a void(const std::stop_token&). A body
  // with a token must end on a stop request. Throws std::system_error if the system cannot create
  // another thread.
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

  // Waits until all bodies have ended by themselves, and throws the first exception of a body.
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
  std::vector<std::jthread> threads_;  // declared last, because they use the other members
};

}  // namespace base
