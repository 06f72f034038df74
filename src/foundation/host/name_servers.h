// SPDX-License-Identifier: Apache-2.0
// Queries each name server with a short timeout. The resolver would query the servers in turn, and
// wait long for each.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "host/files.h"

namespace host {

// Returns the name servers of a file like /etc/resolv.conf, in the file's order. Returns an empty
// list if the file does not exist.
std::vector<std::string> NameServersIn(const Files& files, const fs::path& path);

// RecordType of a question: IPv4 addresses (RFC 1035 §3.2.2) or IPv6 (RFC 3596 §2.1).
enum class RecordType : std::uint8_t { kA = 1, kAaaa = 28 };

// Question to name servers: the addresses of `name` (RFC 1035, over UDP).
struct Question {
  std::string name;
  std::chrono::milliseconds patience{2'000};  // for all servers together
  std::uint16_t port = 53;
  RecordType type = RecordType::kA;
};

// Returns those of `servers` (IP addresses) that do not answer at all. Any answer counts, even an
// unknown name or a failure. Queries all servers concurrently, and again after half the timeout,
// since packets get lost.
std::vector<std::string> SilentNameServers(const std::vector<std::string>& servers,
                                           const Question& question);

// Returns true if servers answer the query for the name's IPv4 addresses, but no server answers the
// query for its IPv6 addresses. Resolvers wait for both answers, and fail if one is missing. Takes
// up to twice the timeout.
bool AnswerIpv4Only(const std::vector<std::string>& servers, Question question);

}  // namespace host
