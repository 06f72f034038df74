#include "controller/crew.h"

#include <chrono>
#include <exception>
#include <utility>

#include "base/log.h"
#include "base/utf8.h"
#include "kube/wait.h"

namespace controller {
namespace {

constexpr std::chrono::seconds kPause{1};

void KeepAtWork(const std::string& what, const Crew::Body& body, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      body(stop);
      return;
    } catch (const std::exception& error) {
      base::LogError("{}: {}; begun again", what, base::Visible(error.what()));
    } catch (...) {
      base::LogError("{}: something unknown was thrown; begun again", what);
    }
    kube::Pause(kPause, stop);
  }
}

}  // namespace

Crew::Crew(const std::stop_token& outer) : passes_on_(outer, [this] { ends_.request_stop(); }) {}

Crew::~Crew() {
  ends_.request_stop();
  Wait();
}

void Crew::Add(std::string what, Body body) {
  threads_.reserve(threads_.size() + 1);  // a thread that was started has its place
  threads_.emplace_back([what = std::move(what), body = std::move(body), stop = ends_.get_token()] {
    KeepAtWork(what, body, stop);
  });
}

void Crew::Wait() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) {
      thread.join();
    }
  }
}

}  // namespace controller
