// SPDX-License-Identifier: Apache-2.0
// How many Events one requester may cause: who asks for thousands of certificates must not fill the
// API server, nor crowd out what is said about others.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace reports {

// EventAllowance is kBurst Events at once for each requester, and one more each kEach after. Not
// thread-safe.
class EventAllowance {
 public:
  static constexpr int kBurst = 100;
  static constexpr std::chrono::seconds kEach{1};
  // Beyond so many requesters at a time, new ones have no allowance until an old one has all of its
  // own back.
  static constexpr std::size_t kMostRequesters = 5'000;

  // Take uses one up; false when none is left.
  bool Take(const std::string& requester, std::chrono::sys_seconds now);

 private:
  // When each has all of its allowance again; only those who have not.
  std::unordered_map<std::string, std::chrono::sys_seconds> whole_at_;
};

}  // namespace reports
