#include "approver/work_queue.h"

#include <algorithm>

namespace approver {
namespace {

constexpr std::chrono::seconds kFirstPause{1};
constexpr std::chrono::seconds kLongestPause{1000};

}  // namespace

void WorkQueue::Add(const std::string& name) {
  const std::lock_guard lock(mutex_);
  AddLocked(name);
}

void WorkQueue::AddLocked(const std::string& name) {
  if (!queued_.insert(name).second || working_.contains(name)) {
    return;
  }
  ready_.push_back(name);
  changed_.notify_one();
}

void WorkQueue::AddLater(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!scheduled_.insert(name).second) {
    return;
  }
  std::chrono::seconds& pause = pauses_[name];
  pause = pause.count() == 0 ? kFirstPause : std::min(pause * 2, kLongestPause);
  later_.emplace(Clock::now() + pause, name);
  changed_.notify_one();
}

void WorkQueue::Forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  pauses_.erase(name);
}

std::optional<WorkQueue::Clock::time_point> WorkQueue::MoveDue(Clock::time_point now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    scheduled_.erase(later_.begin()->second);
    AddLocked(later_.begin()->second);
    later_.erase(later_.begin());
  }
  return later_.empty() ? std::nullopt : std::optional(later_.begin()->first);
}

std::optional<std::string> WorkQueue::Take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto next = MoveDue(Clock::now());
    if (!ready_.empty()) {
      std::string name = std::move(ready_.front());
      ready_.pop_front();
      queued_.erase(name);
      working_.insert(name);
      return name;
    }
    const auto some = [this] { return !ready_.empty(); };
    if (next) {
      changed_.wait_until(lock, stop, std::min(*next, Clock::now() + std::chrono::seconds(1)),
                          some);
    } else {
      changed_.wait(lock, stop, [&] { return some() || !later_.empty(); });
    }
  }
  return {};
}

void WorkQueue::Done(const std::string& name) {
  const std::lock_guard lock(mutex_);
  working_.erase(name);
  if (queued_.contains(name)) {
    ready_.push_back(name);
    changed_.notify_one();
  }
}

std::size_t WorkQueue::size() const {
  const std::lock_guard lock(mutex_);
  return ready_.size();
}

}  // namespace approver
