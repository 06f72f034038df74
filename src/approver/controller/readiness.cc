// SPDX-License-Identifier: Apache-2.0
#include "controller/readiness.h"

#include <memory>
#include <utility>

namespace controller {

std::function<void()> Readiness::Need() {
  const std::lock_guard lock(mutex_);
  ++missing_;
  return [this, there = std::make_shared<bool>(false)] {
    const std::lock_guard told(mutex_);
    missing_ -= std::exchange(*there, true) ? 0 : 1;
    changed_.notify_all();
  };
}

bool Readiness::Reached() const {
  const std::lock_guard lock(mutex_);
  return missing_ == 0;
}

bool Readiness::Wait(const std::stop_token& stop) const {
  std::unique_lock lock(mutex_);
  return changed_.wait(lock, stop, [this] { return missing_ == 0; });
}

}  // namespace controller
