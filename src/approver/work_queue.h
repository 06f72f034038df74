// Names of requests to judge: each at most once in the queue and with one worker at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace approver {

// WorkQueue: a name that is added while it is being worked on is handed out again afterwards.
// Thread-safe.
class WorkQueue {
 public:
  using Clock = std::chrono::steady_clock;

  void Add(const std::string& name);
  // AddLater adds the name after its next pause: 1 s, doubling to 1000 s until Forget. A name that
  // is to be added later already stays as it is.
  void AddLater(const std::string& name);
  // Forget lets the next pause be the first again.
  void Forget(const std::string& name);

  // Take waits for a name; nothing when asked to stop. Done must follow.
  std::optional<std::string> Take(const std::stop_token& stop);
  void Done(const std::string& name);

  std::size_t size() const;

 private:
  void AddLocked(const std::string& name);
  // MoveDue puts what has waited long enough into the queue; the time of the next one.
  std::optional<Clock::time_point> MoveDue(Clock::time_point now);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // All below is guarded by mutex_.
  std::deque<std::string> ready_;
  std::unordered_set<std::string> queued_;   // in ready_, or to be when done
  std::unordered_set<std::string> working_;  // with a worker
  std::multimap<Clock::time_point, std::string> later_;
  std::unordered_set<std::string> scheduled_;  // in later_
  std::unordered_map<std::string, std::chrono::seconds> pauses_;
};

}  // namespace approver
