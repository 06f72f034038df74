// SPDX-License-Identifier: Apache-2.0
#include "requests/work_queue.h"

#include <algorithm>

namespace requests {
namespace {

constexpr std::chrono::seconds kFirstPause{1};
// The longest pause between two judgements of a name. It bounds the delay until a repaired cause is
// noticed, because some facts are not watched.
constexpr std::chrono::seconds kLongestPause{120};
constexpr std::chrono::nanoseconds kLongestWait = std::chrono::seconds(1);

}  // namespace

void WorkQueue::Add(const std::string& name) {
  const std::lock_guard lock(mutex_);
  AddLocked(name);
}

void WorkQueue::AddLocked(const std::string& name) {
  if (queued_.insert(name).second && !working_.contains(name)) {
    MakeReady(name);
  }
}

void WorkQueue::MakeReady(const std::string& name) {
  const auto whose = options_.requester_of ? options_.requester_of(name) : std::nullopt;
  const auto requester = requesters_.try_emplace(whose.value_or("")).first;
  requester->second.ready.push_back(name);
  ++ready_;
  TakeTurn(requester);
}

void WorkQueue::TakeTurn(Requesters::iterator requester) {
  Requester& state = requester->second;
  if (state.ready.empty() && state.working == 0 && !state.in_turns) {
    requesters_.erase(requester);
  } else if (!state.in_turns && !state.ready.empty() && state.working < options_.at_once) {
    state.in_turns = true;
    turns_.push_back(requester->first);
    changed_.notify_one();
  }
}

void WorkQueue::AddLater(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (scheduled_.contains(name)) {
    return;
  }
  std::chrono::seconds& pause = pauses_[name];
  pause = pause.count() == 0 ? kFirstPause : std::min(pause * 2, kLongestPause);
  const Time at = clock_.Steady() + pause;
  scheduled_[name] = at;
  later_.emplace(at, name);
  changed_.notify_one();
}

void WorkQueue::Forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  pauses_.erase(name);
}

void WorkQueue::Drop(const std::string& name) {
  const std::lock_guard lock(mutex_);
  pauses_.erase(name);
  const auto found = scheduled_.find(name);
  if (found == scheduled_.end()) {
    return;
  }
  const auto [begin, end] = later_.equal_range(found->second);
  const auto at = std::find_if(begin, end, [&](const auto& entry) { return entry.second == name; });
  later_.erase(at);
  scheduled_.erase(found);
}

std::optional<WorkQueue::Time> WorkQueue::MoveDue(Time now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    scheduled_.erase(later_.begin()->second);
    AddLocked(later_.begin()->second);
    later_.erase(later_.begin());
  }
  return later_.empty() ? std::nullopt : std::optional(later_.begin()->first);
}

// Takes the next name of the requester whose turn it is. Precondition: a requester is in `turns_`.
std::string WorkQueue::TakeReady() {
  const auto requester = requesters_.find(turns_.front());
  turns_.pop_front();
  Requester& state = requester->second;
  state.in_turns = false;
  std::string name = std::move(state.ready.front());
  state.ready.pop_front();
  --ready_;
  ++state.working;
  queued_.erase(name);
  working_[name] = requester->first;
  TakeTurn(requester);
  return name;
}

std::optional<std::string> WorkQueue::Take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const Time now = clock_.Steady();
    const auto next = MoveDue(now);
    if (!turns_.empty()) {
      return TakeReady();
    }
    const auto some = [this] { return !turns_.empty(); };
    if (next) {
      changed_.wait_for(lock, stop, std::min(*next - now, kLongestWait), some);
    } else {
      changed_.wait(lock, stop, [&] { return some() || !later_.empty(); });
    }
  }
  return {};
}

void WorkQueue::Done(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = working_.find(name);
  const auto requester = requesters_.find(found->second);
  working_.erase(found);
  --requester->second.working;
  TakeTurn(requester);
  if (queued_.contains(name)) {
    MakeReady(name);
  }
}

std::size_t WorkQueue::size() const {
  const std::lock_guard lock(mutex_);
  return ready_;
}

std::size_t WorkQueue::remembered() const {
  const std::lock_guard lock(mutex_);
  return queued_.size() + working_.size() + scheduled_.size() + pauses_.size();
}

}  // namespace requests
