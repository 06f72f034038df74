// SPDX-License-Identifier: Apache-2.0
// Time and randomness of a host.
#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace host {

// The only source of time for waits, pauses and deadlines. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // The time of day, for output. The administrator may set it, so never measure durations by it.
  virtual std::chrono::system_clock::time_point Now() const = 0;
  // NowSeconds is Now in whole seconds, rounded down.
  std::chrono::sys_seconds NowSeconds() const {
    return std::chrono::floor<std::chrono::seconds>(Now());
  }
  // The monotonic time: for deadlines and durations.
  virtual std::chrono::steady_clock::time_point Steady() const = 0;
  // Returns true after `duration`, or false immediately on a stop request.
  virtual bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop = {}) = 0;
  // Calls poll(2) for at most `timeout`, rounded up to milliseconds. Waits forever if `timeout` is
  // not set. Returns the number of ready descriptors: 0 after a timeout or a signal.
  virtual int Poll(std::span<pollfd> polled, std::optional<std::chrono::nanoseconds> timeout) = 0;
};

// The kernel's clocks.
class RealClock : public Clock {
 public:
  std::chrono::system_clock::time_point Now() const override;
  std::chrono::steady_clock::time_point Steady() const override;
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override;
  int Poll(std::span<pollfd> polled, std::optional<std::chrono::nanoseconds> timeout) override;
};

// A source of bytes fit for secrets.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::string Bytes(std::size_t count) = 0;
};

// Uses getrandom(2).
class RealRandom : public Random {
 public:
  std::string Bytes(std::size_t count) override;
};

}  // namespace host
