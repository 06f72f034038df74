// SPDX-License-Identifier: Apache-2.0
#include "controller/thread_group.h"

#include <chrono>
#include <exception>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"

namespace controller {
namespace {

constexpr std::chrono::seconds kPause{1};

}  // namespace

ThreadGroup::ThreadGroup(const std::stop_token& outer, host::Clock& clock)
    : clock_(clock), passes_on_(outer, [this] { ends_.request_stop(); }) {}

ThreadGroup::~ThreadGroup() {
  ends_.request_stop();
  Wait();
}

void ThreadGroup::Add(std::string what, Body body) {
  threads_.reserve(threads_.size() + 1);  // allocates before the thread starts
  threads_.emplace_back([this, what = std::move(what), body = std::move(body),
                         stop = ends_.get_token()] { RunForever(what, body, stop); });
}

void ThreadGroup::RunForever(const std::string& what, const Body& body,
                             const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      body(stop);
      return;
    } catch (const base::Interrupted&) {
      continue;  // a stop request ended the body
    } catch (const std::exception& error) {
      base::LogError("{}: {}; restarted", what, base::Visible(error.what()));
    } catch (...) {
      base::LogError("{}: something unknown was thrown; restarted", what);
    }
    clock_.Sleep(kPause, stop);
  }
}

void ThreadGroup::Wait() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) {
      thread.join();
    }
  }
}

}  // namespace controller
