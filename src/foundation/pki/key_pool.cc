// SPDX-License-Identifier: Apache-2.0
#include "pki/key_pool.h"

#include <algorithm>

namespace pki {

KeyPool::KeyPool(Options options)
    : algorithm_(options.algorithm), to_draw_(options.count), unclaimed_(options.count) {
  const std::size_t threads = std::min(std::max<std::size_t>(options.workers, 1), options.count);
  for (std::size_t i = 0; i < threads; ++i) {
    workers_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
  }
}

KeyPool::~KeyPool() {
  for (std::jthread& worker : workers_) {
    worker.request_stop();
  }
  workers_.clear();
}

bool KeyPool::Claim() {
  const std::lock_guard lock(mutex_);
  if (to_draw_ == 0 || failure_) {
    return false;
  }
  --to_draw_;
  return true;
}

void KeyPool::Work(const std::stop_token& stop) {
  try {
    while (!stop.stop_requested() && Claim()) {
      PrivateKey key = PrivateKey::Generate(algorithm_, stop);
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(key));
      changed_.notify_one();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

PrivateKey KeyPool::Take() {
  std::unique_lock lock(mutex_);
  if (unclaimed_ == 0) {
    lock.unlock();
    return PrivateKey::Generate(algorithm_);
  }
  --unclaimed_;
  changed_.wait(lock, [&] { return !ready_.empty() || failure_; });
  if (ready_.empty()) {
    std::rethrow_exception(failure_);
  }
  PrivateKey key = std::move(ready_.back());
  ready_.pop_back();
  return key;
}

}  // namespace pki
