// SPDX-License-Identifier: Apache-2.0
// The queue of requests to judge. Each request is at most once in the queue, and at most one worker
// judges it. Requesters are served in turn.
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
    RequesterOf requester_of = {};  // not set: all names share a single requester
    // The maximum number of names of one requester that workers handle at a time.
    std::size_t at_once = SIZE_MAX;
  };

  // The clock must outlive the queue. It may differ from the clock of the threads, so the queue
  // reads it at least once a second while a name is scheduled.
  explicit WorkQueue(const host::Clock& clock) : WorkQueue(clock, Options()) {}
  WorkQueue(const host::Clock& clock, Options options)
      : clock_(clock), options_(std::move(options)) {}

  void Add(const std::string& name);
  // Adds the name after its next pause. The pause is 1 s, and doubles up to 2 min until Forget is
  // called. If the name is already scheduled, its time stays.
  void AddLater(const std::string& name);
  // Resets the next pause to the first.
  void Forget(const std::string& name);
  // Forgets the pauses and the schedule of a name.
  void Drop(const std::string& name);

  // Waits for a name; returns std::nullopt on a stop request. The caller must call Done for the
  // returned name.
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
  // Queues a requester that has an available name. Forgets a requester without any names.
  void TakeTurn(Requesters::iterator requester);
  std::string TakeReady();
  // Moves due names into the queue. Returns the time at which the next name is due.
  std::optional<Time> MoveDue(Time now);

  const host::Clock& clock_;
  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // The members below are guarded by mutex_.
  Requesters requesters_;
  std::deque<std::string> turns_;  // requesters, each once
  std::size_t ready_ = 0;
  // The names that are ready now, or become ready when their worker is done.
  std::unordered_set<std::string> queued_;
  // Maps each name that a worker handles to its requester.
  std::unordered_map<std::string, std::string> working_;
  std::multimap<Time, std::string> later_;
  std::unordered_map<std::string, Time> scheduled_;  // in later_
  std::unordered_map<std::string, std::chrono::seconds> pauses_;
};

}  // namespace requests
