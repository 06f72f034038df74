// SPDX-License-Identifier: Apache-2.0
// A limit on the Events that one requester may cause. A user with thousands of requests must not
// fill the API server, or crowd out others' Events.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace reports {

// Allows each requester a burst of kBurst Events, and then one more Event per kEach. Not
// thread-safe.
class EventAllowance {
 public:
  static constexpr int kBurst = 100;
  static constexpr std::chrono::seconds kEach{1};
  // The maximum number of requesters with a partly used allowance. Beyond this number, a new
  // requester has no allowance until an older requester has its whole allowance again.
  static constexpr std::size_t kMostRequesters = 5'000;

  // Uses up one Event of the allowance; returns false if none is left.
  bool Take(const std::string& requester, std::chrono::sys_seconds now);

 private:
  // Maps a requester to the time at which it has its whole allowance again. Requesters with the
  // whole allowance have no entry.
  std::unordered_map<std::string, std::chrono::sys_seconds> whole_at_;
};

}  // namespace reports
