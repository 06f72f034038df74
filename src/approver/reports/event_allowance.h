// SPDX-License-Identifier: Apache-2.0
// Limits the Events that one requester may cause: a user with thousands of requests must not fill
// the API server, nor crowd out others' Events.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace reports {

// Allows kBurst Events at once for each requester, and one more each kEach after. Not thread-safe.
class EventAllowance {
 public:
  static constexpr int kBurst = 100;
  static constexpr std::chrono::seconds kEach{1};
  // Beyond that many requesters at a time, new ones have no allowance until an old one has
  // recovered all of its own.
  static constexpr std::size_t kMostRequesters = 5'000;

  // Uses up one Event of the allowance; returns false if none is left.
  bool Take(const std::string& requester, std::chrono::sys_seconds now);

 private:
  // By requester: the time at which it has its whole allowance again. Requesters with the whole
  // allowance have no entry.
  std::unordered_map<std::string, std::chrono::sys_seconds> whole_at_;
};

}  // namespace reports
