// Time and randomness of a host.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

namespace host {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::system_clock::time_point Now() const = 0;
  virtual std::chrono::steady_clock::time_point Steady() const = 0;
  // Sleep returns after `duration`, or at once when asked to stop.
  virtual void Sleep(std::chrono::nanoseconds duration, std::stop_token stop = {}) = 0;
};

class RealClock : public Clock {
 public:
  std::chrono::system_clock::time_point Now() const override;
  std::chrono::steady_clock::time_point Steady() const override;
  void Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override;
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
