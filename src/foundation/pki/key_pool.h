// SPDX-License-Identifier: Apache-2.0
// Keys generated in advance on all processors. An RSA key takes tens of milliseconds, which would
// otherwise delay the issue of a tree of certificates.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "pki/key.h"

namespace pki {

// Generates `count` keys on worker threads. The constructor starts the threads; the destructor
// stops unfinished work. Thread-safe.
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

  // Returns a key that no other caller gets: a finished key, or else the next key to be finished.
  // After `count` calls, generates a key on the caller's thread. Rethrows an exception of a worker
  // thread.
  PrivateKey Take();

 private:
  void Work(const std::stop_token& stop);
  bool Claim();  // returns true if the caller must generate one more key

  const Algorithm algorithm_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t to_draw_;            // guarded by mutex_: not being generated yet
  std::size_t unclaimed_;          // guarded by mutex_: generated or to be generated, unclaimed
  std::vector<PrivateKey> ready_;  // guarded by mutex_
  std::exception_ptr failure_;     // guarded by mutex_
  std::vector<std::jthread> workers_;
};

}  // namespace pki
