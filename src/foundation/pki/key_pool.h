// SPDX-License-Identifier: Apache-2.0
// Keys drawn ahead of need: RSA keys cost tens of milliseconds each, so that a tree of certificates
// is made as fast as the machine has processors.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "pki/key.h"

namespace pki {

// KeyPool draws `count` keys on worker threads, from its construction on. Its end stops what is
// still being drawn. May be used from several threads.
class KeyPool {
 public:
  struct Options {
    Algorithm algorithm = Algorithm::kRsa2048;
    std::size_t count = 0;
    std::size_t workers = std::thread::hardware_concurrency();
  };
  explicit KeyPool(Options options);
  ~KeyPool();
  KeyPool(const KeyPool&) = delete;
  KeyPool& operator=(const KeyPool&) = delete;

  // Take is a key that nobody else has: one in store, else the next to be finished, else, once
  // `count` keys are spoken for, one drawn on the caller's thread. Throws what drawing threw.
  PrivateKey Take();

 private:
  void Work(const std::stop_token& stop);
  bool Claim();  // takes one key off the list of those to be drawn

  const Algorithm algorithm_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t to_draw_;            // guarded by mutex_: nobody draws these yet
  std::size_t unclaimed_;          // guarded by mutex_: drawn or to be drawn, no taker yet
  std::vector<PrivateKey> ready_;  // guarded by mutex_
  std::exception_ptr failure_;     // guarded by mutex_
  std::vector<std::jthread> workers_;
};

}  // namespace pki
