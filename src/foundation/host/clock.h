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

// Clock is how all waits, pauses and deadlines know the time and let it pass. Used from several
// threads at once.
class Clock {
 public:
  virtual ~Clock() = default;
  // Now is the time of day, which the administrator may set: for what others read.
  virtual std::chrono::system_clock::time_point Now() const = 0;
  // NowSeconds is Now in whole seconds, rounded down.
  std::chrono::sys_seconds NowSeconds() const {
    return std::chrono::floor<std::chrono::seconds>(Now());
  }
  // Steady never goes back: for deadlines and for how long something took.
  virtual std::chrono::steady_clock::time_point Steady() const = 0;
  // Sleep is true after `duration`; false, at once, when asked to stop.
  virtual bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop = {}) = 0;
  // Poll is poll(2) for at most `timeout`, rounded up to milliseconds; without one it waits for as
  // long as it takes. How many descriptors something has happened to: 0 when the time is over or a
  // signal came.
  virtual int Poll(std::span<pollfd> polled, std::optional<std::chrono::nanoseconds> timeout) = 0;
};

// RealClock is the kernel's.
class RealClock : public Clock {
 public:
  std::chrono::system_clock::time_point Now() const override;
  std::chrono::steady_clock::time_point Steady() const override;
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override;
  int Poll(std::span<pollfd> polled, std::optional<std::chrono::nanoseconds> timeout) override;
};

// Random yields bytes fit for secrets.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::string Bytes(std::size_t count) = 0;
};

// RealRandom is getrandom(2).
class RealRandom : public Random {
 public:
  std::string Bytes(std::size_t count) override;
};

}  // namespace host
