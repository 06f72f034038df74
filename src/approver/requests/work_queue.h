// SPDX-License-Identifier: Apache-2.0
// Names of requests to judge: each at most once in the queue and with one worker at a time, and
// those of one requester never before all others'.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "host/clock.h"

namespace requests {

// WorkQueue: a name that is added while it is being worked on is handed out again afterwards.
// Requesters take turns, so that one who floods the queue waits for itself. Thread-safe.
class WorkQueue {
 public:
  // RequesterOf is whose a name is, if it is anybody's: names without one are one requester's.
  // Called with the queue locked.
  using RequesterOf = std::function<std::optional<std::string>(const std::string& name)>;

  struct Options {
    RequesterOf requester_of = {};   // not set: nobody's, all of them
    std::size_t at_once = SIZE_MAX;  // so many names of one requester with workers
  };

  // The clock outlives the queue. It is looked at once a second at least while a name waits for
  // its time, since it need not be the one by which threads wait.
  explicit WorkQueue(const host::Clock& clock) : WorkQueue(clock, Options()) {}
  WorkQueue(const host::Clock& clock, Options options)
      : clock_(clock), options_(std::move(options)) {}

  void Add(const std::string& name);
  // AddLater adds the name after its next pause: 1 s, doubling to 2 min until Forget. A name that
  // is to be added later already stays as it is.
  void AddLater(const std::string& name);
  // Forget lets the next pause be the first again.
  void Forget(const std::string& name);
  // Drop forgets the pauses of a name, and that it is to be added later.
  void Drop(const std::string& name);

  // Take waits for a name; nothing when asked to stop. Done must follow.
  std::optional<std::string> Take(const std::stop_token& stop);
  void Done(const std::string& name);

  std::size_t size() const;
  // remembered is how many names something is kept of.
  std::size_t remembered() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  // Requester is one who has names in the queue or with workers.
  struct Requester {
    std::deque<std::string> ready;
    std::size_t working = 0;
    bool in_turns = false;
  };
  using Requesters = std::unordered_map<std::string, Requester>;

  void AddLocked(const std::string& name);
  void MakeReady(const std::string& name);
  // TakeTurn queues a requester up who has a name that may be handed out; one with nothing left is
  // forgotten.
  void TakeTurn(Requesters::iterator requester);
  std::string TakeReady();
  // MoveDue puts what has waited long enough into the queue; the time of the next one.
  std::optional<Time> MoveDue(Time now);

  const host::Clock& clock_;
  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // All below is guarded by mutex_.
  Requesters requesters_;
  std::deque<std::string> turns_;  // requesters, each once
  std::size_t ready_ = 0;
  std::unordered_set<std::string> queued_;                // ready, or to be when done
  std::unordered_map<std::string, std::string> working_;  // with a worker → requester
  std::multimap<Time, std::string> later_;
  std::unordered_map<std::string, Time> scheduled_;  // in later_
  std::unordered_map<std::string, std::chrono::seconds> pauses_;
};

}  // namespace requests
