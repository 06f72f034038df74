// SPDX-License-Identifier: Apache-2.0
#include "host/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>

#include "host/descriptor.h"

namespace host {
namespace {

sigset_t Taken() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

// Blocks the signals first, so that later signals wait in the descriptor.
Descriptor OpenSignals() {
  const sigset_t taken = Taken();
  pthread_sigmask(SIG_BLOCK, &taken, nullptr);
  Descriptor signals(::signalfd(-1, &taken, SFD_CLOEXEC));
  if (!signals.valid()) {
    throw SystemError("cannot wait for signals", errno);
  }
  return signals;
}

// Waits for a signal. Returns std::nullopt on a stop request.
std::optional<int> Next(const Descriptor& signals, const std::stop_token& stop) {
  const WakeOnStop wake(stop);
  const int timeout = wake.get() < 0 ? 100 : -1;  // if no descriptor is free, polls `stop` instead
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> polled = {pollfd{.fd = signals.get(), .events = POLLIN, .revents = 0},
                                    pollfd{.fd = wake.get(), .events = POLLIN, .revents = 0}};
    ::poll(polled.data(), polled.size(), timeout);
    signalfd_siginfo info{};
    if (polled[0].revents != 0 && ::read(signals.get(), &info, sizeof info) == sizeof info) {
      return static_cast<int>(info.ssi_signo);
    }
  }
  return std::nullopt;
}

}  // namespace

struct RealSignals::Impl {
  std::mutex mutex;
  std::stop_source interrupt;
  Descriptor signals;    // guarded by mutex until the thread runs
  std::jthread waiting;  // declared last, because it uses the other members
};

RealSignals::RealSignals() : impl_(std::make_unique<Impl>()) {}
RealSignals::~RealSignals() = default;

std::stop_token RealSignals::Interrupt() {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->waiting.joinable()) {
    impl_->signals = OpenSignals();
    impl_->waiting = std::jthread([impl = impl_.get()](const std::stop_token& ends) {
      if (!Next(impl->signals, ends)) {
        return;
      }
      impl->interrupt.request_stop();
      if (const std::optional<int> second = Next(impl->signals, ends)) {
        _exit(128 + *second);
      }
    });
  }
  return impl_->interrupt.get_token();
}

}  // namespace host
