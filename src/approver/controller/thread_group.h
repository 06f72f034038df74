// SPDX-License-Identifier: Apache-2.0
// The threads of one job, which end together whatever happens.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "host/clock.h"

namespace controller {

// Keeps its threads running: a body that throws is logged, and restarted a second after that. So a
// failure ends neither the thread nor, silently, the program. A body ends by returning. The
// destructor requests a stop and waits. If the next thread cannot be started, all started threads
// are joined before the exception leaves.
class ThreadGroup {
 public:
  using Body = std::function<void(const std::stop_token& stop)>;

  // The group also stops on a request of `outer`. The clock, for its pauses, must outlive it.
  ThreadGroup(const std::stop_token& outer, host::Clock& clock);
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // Starts a thread; `what` is for the log. Throws std::system_error without a free thread.
  void Add(std::string what, Body body);
  // Waits until all bodies have ended by themselves or after a stop request.
  void Wait();

 private:
  void RunForever(const std::string& what, const Body& body, const std::stop_token& stop);

  host::Clock& clock_;
  std::stop_source ends_;
  std::stop_callback<std::function<void()>> passes_on_;
  std::vector<std::thread> threads_;
};

}  // namespace controller
