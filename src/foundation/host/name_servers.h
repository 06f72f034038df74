// SPDX-License-Identifier: Apache-2.0
// Name servers, asked one by one and with little patience: the resolver asks them in turn and waits
// for each.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace host {

// Question is what name servers are asked: the address of `name` (RFC 1035, over UDP).
struct Question {
  std::string name;
  std::chrono::milliseconds patience{2'000};  // with all of them together
  std::uint16_t port = 53;
};

// SilentNameServers are those of `servers`, IP addresses, that answer nothing at all. What they
// answer does not matter: one that knows no such name, or fails, is there. All are asked at the
// same time, and again after half the patience, since packets get lost.
std::vector<std::string> SilentNameServers(const std::vector<std::string>& servers,
                                           const Question& question);

}  // namespace host
