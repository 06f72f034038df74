// SPDX-License-Identifier: Apache-2.0
// Names of requests to judge: each at most once in the queue and with one worker at a time.
// Requesters are served in turn.
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

// A queue of names for several workers. A name that is added while a worker handles it is handed
// out again afterwards. Requesters take turns, so that a requester with many names delays only its
// own names. Thread-safe.
class WorkQueue {
 public:
  // Returns the requester of a name; std::nullopt if the name has none. All names without a
  // requester share one turn. Called with the queue locked.
  using RequesterOf = std::function<std::optional<std::string>(const std::string& name)>;

  struct Options {
    RequesterOf requester_of = {};   // not set: all names share a single requester
    std::size_t at_once = SIZE_MAX;  // the maximum number of one requester's names with workers
  };

  // The clock must outlive the queue. It may differ from the clock of the threads. So the queue
  // reads it at least once a second while a name waits for its time.
  explicit WorkQueue(const host::Clock& clock) : WorkQueue(clock, Options()) {}
  WorkQueue(const host::Clock& clock, Options options)
      : clock_(clock), options_(std::move(options)) {}

  void Add(const std::string& name);
  // Adds the name after its next pause. The pause is 1 s, and doubles up to 2 min until Forget is
  // called. If the name is already scheduled, its time stays.
  void AddLater(const std::string& name);
  // Resets the next pause to the first.
  void Forget(const std::string& name);
  // Forgets the pauses of a name, and its schedule.
  void Drop(const std::string& name);

  // Waits for a name; returns std::nullopt on a stop request. Done must follow.
  std::optional<std::string> Take(const std::stop_token& stop);
  void Done(const std::string& name);

  std::size_t size() const;
  // Returns the number of names with stored state.
  std::size_t remembered() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  // A requester with names in the queue or with workers.
  struct Requester {
    std::deque<std::string> ready;
    std::size_t working = 0;
    bool in_turns = false;
  };
  using Requesters = std::unordered_map<std::string, Requester>;

  void AddLocked(const std::string& name);
  void MakeReady(const std::string& name);
  // Queues a requester that has an available name; forgets one without any names.
  void TakeTurn(Requesters::iterator requester);
  std::string TakeReady();
  // Moves due names into the queue; returns the time of the next one.
  std::optional<Time> MoveDue(Time now);

  const host::Clock& clock_;
  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // All below is guarded by mutex_.
  Requesters requesters_;
  std::deque<std::string> turns_;  // requesters, each once
  std::size_t ready_ = 0;
  std::unordered_set<std::string> queued_;                // ready now, or once its worker is done
  std::unordered_map<std::string, std::string> working_;  // with a worker → requester
  std::multimap<Time, std::string> later_;
  std::unordered_map<std::string, Time> scheduled_;  // in later_
  std::unordered_map<std::string, std::chrono::seconds> pauses_;
};

}  // namespace requests
