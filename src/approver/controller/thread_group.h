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

// ThreadGroup keeps its threads running: a body that throws, whatever it is, is logged and
// restarted a second later, so that neither the program ends without a word nor a thread is missing
// from then on. A body ends by returning. The destructor asks all to stop and waits for them, so
// that an exception which passes by, a failure to start the next thread among them, leaves none
// behind.
class ThreadGroup {
 public:
  using Body = std::function<void(const std::stop_token& stop)>;

  // The group also stops when `outer` asks for it. The clock, by which it pauses, outlives it.
  ThreadGroup(const std::stop_token& outer, host::Clock& clock);
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // Add starts a thread; `what` is for the log. Throws std::system_error when no thread is left.
  void Add(std::string what, Body body);
  // Wait returns when all bodies have ended by themselves or were asked to stop.
  void Wait();

 private:
  void RunForever(const std::string& what, const Body& body, const std::stop_token& stop);

  host::Clock& clock_;
  std::stop_source ends_;
  std::stop_callback<std::function<void()>> passes_on_;
  std::vector<std::thread> threads_;
};

}  // namespace controller
