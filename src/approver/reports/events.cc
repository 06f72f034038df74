// SPDX-License-Identifier: Apache-2.0
#include "reports/events.h"

#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"

namespace reports {
namespace {

using judgement::Csr;
using judgement::Verdict;

}  // namespace

EventWriter::EventWriter(kube::Transport& transport, EventTarget target, Metrics& metrics)
    : transport_(transport), target_(std::move(target)), metrics_(metrics) {}

void EventWriter::Tell(const Csr& csr, const Verdict& verdict, std::chrono::sys_seconds now) {
  const std::lock_guard lock(mutex_);
  const auto known = last_reason_.find(csr.uid);
  if (known != last_reason_.end() && known->second == verdict.reason) {
    return;
  }
  if (!allowance_.Take(csr.username, now)) {
    return;
  }
  if (last_reason_.size() >= kMostReasons && known == last_reason_.end()) {
    last_reason_.clear();
  }
  last_reason_[csr.uid] = verdict.reason;
  Queue(EventCall(csr, verdict, target_, now));
}

void EventWriter::Say(kube::Call event) {
  const std::lock_guard lock(mutex_);
  Queue(std::move(event));
}

void EventWriter::Queue(kube::Call event) {
  if (waiting_.size() >= kMostWaiting) {
    waiting_.pop_front();
  }
  waiting_.push_back(std::move(event));
  changed_.notify_one();
}

void EventWriter::Forget(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  last_reason_.erase(uid);
}

std::size_t EventWriter::remembered() {
  const std::lock_guard lock(mutex_);
  return last_reason_.size();
}

void EventWriter::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
      return;
    }
    const kube::Call call = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Write(call, stop);
  }
}

void EventWriter::Write(const kube::Call& call, const std::stop_token& stop) {
  try {
    transport_.Do(call, stop);
    metrics_.CountRequest("event", true);
  } catch (const base::Error& error) {
    if (error.kind() == base::Error::Kind::kAlreadyExists) {
      return;  // reported before, by us or another process
    }
    metrics_.CountRequest("event", false);
    base::LogWarning("cannot write an event: {}", error.message());
  } catch (const std::exception& error) {  // this Event is lost; later ones are still written
    metrics_.CountRequest("event", false);
    base::LogError("cannot write an event: {}", base::Visible(error.what()));
  }
}

}  // namespace reports
