// SPDX-License-Identifier: Apache-2.0
// The threads of one job, which end together, even after an exception.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "host/clock.h"

namespace controller {

// Keeps its threads running. If a body throws, the exception is logged and the body restarts after
// a second, so that no job stops unnoticed. A body ends by returning. The destructor requests a
// stop and waits. If another thread cannot be started, all started threads are joined before the
// exception propagates.
class ThreadGroup {
 public:
  using Body = std::function<void(const std::stop_token& stop)>;

  // The group also stops when `outer` requests a stop. The clock, which times its pauses, must
  // outlive it.
  ThreadGroup(const std::stop_token& outer, host::Clock& clock);
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // Starts a thread with the name `what` in the log. Throws std::system_error if no thread is
  // available.
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
