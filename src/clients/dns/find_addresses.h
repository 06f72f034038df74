// SPDX-License-Identifier: Apache-2.0
// Looks up the addresses of a host in DNS. The only library that includes c-ares.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/clock.h"
#include "net/host_port.h"
#include "net/ip_address.h"

namespace dns {

// The name servers of a lookup, and its time limit.
struct Resolver {
  std::vector<net::HostPort> servers;  // IP addresses and ports; at least one
  std::chrono::milliseconds timeout{10'000};
};

// The maximum number of addresses of a host.
inline constexpr std::size_t kMostAddresses = 64;

// Returns whether the text is a host's name without a dot at its end: lower case letters, digits
// and '-', labels of at most 63 characters, names of at most 253 characters (RFC 1123 §2.1).
bool IsHostName(std::string_view text);

// Queries the A and AAAA records of exactly this name (RFC 1035, RFC 3596), by UDP, and by TCP if
// an answer is truncated. Uses no search list, no hosts file, no cache and none of the host's
// resolver settings. If a server fails, queries another one. Returns the addresses, sorted;
// std::nullopt if the name does not exist or has no addresses.
//
// Throws base::Error(kInvalid) for a name that is not a host's name, and for more than
// kMostAddresses. Also throws kInvalid for an alias: CNAME or DNAME records are not followed.
// Throws kUnavailable if the servers fail, or if an answer is truncated even by TCP. Also throws
// kUnavailable if only one of the two answers says that the name exists. Throws kTimeout at the
// time limit, and base::Interrupted on a stop request. Thread-safe.
std::optional<std::vector<net::IpAddress>> FindAddresses(const Resolver& resolver,
                                                         const std::string& name,
                                                         const host::Clock& clock,
                                                         const std::stop_token& stop);

}  // namespace dns
