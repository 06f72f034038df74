// SPDX-License-Identifier: Apache-2.0
// Name servers, asked one by one and with little patience: the resolver asks them in turn and waits
// for each.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "host/files.h"

namespace host {

// NameServersIn returns the name servers of a file like /etc/resolv.conf in its order; empty when
// there is no such file.
std::vector<std::string> NameServersIn(const Files& files, const fs::path& path);

// RecordType of a question: IPv4 addresses (RFC 1035 §3.2.2) or IPv6 (RFC 3596 §2.1).
enum class RecordType : std::uint8_t { kA = 1, kAaaa = 28 };

// Question to name servers: the addresses of `name` (RFC 1035, over UDP).
struct Question {
  std::string name;
  std::chrono::milliseconds patience{2'000};  // with all of them together
  std::uint16_t port = 53;
  RecordType type = RecordType::kA;
};

// SilentNameServers are those of `servers`, IP addresses, that answer nothing at all. What they
// answer does not matter: one that knows no such name, or fails, is there. All are asked at the
// same time, and again after half the patience, since packets get lost.
std::vector<std::string> SilentNameServers(const std::vector<std::string>& servers,
                                           const Question& question);

// AnswerIpv4Only tells whether servers answer the question for IPv4 addresses of the name, and none
// answers that for IPv6 addresses. Resolvers wait for both, and fail for want of one. Asks for
// up to twice the patience.
bool AnswerIpv4Only(const std::vector<std::string>& servers, Question question);

}  // namespace host
