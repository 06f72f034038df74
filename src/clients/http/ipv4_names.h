// SPDX-License-Identifier: Apache-2.0
// Names that are resolved as IPv4 addresses only, because some name servers do not answer queries
// for IPv6 addresses. The resolver waits for both answers, times out, and then returns neither.
// Internal to this library.
#pragma once

#include <curl/curl.h>

#include <string>

namespace http {

// Returns whether LearnIpv4Name returned true for this name before, in any thread.
bool IsIpv4Name(const std::string& name);

// Checks whether a request failed because name servers answer only for IPv4 addresses. If the name
// could not be resolved in time (`code`), queries the name servers of /etc/resolv.conf for up to 4
// s. If they answer only for IPv4, warns, remembers the name and returns true: a retry will
// succeed. Returns false for every other error, and for a name that is already remembered.
bool LearnIpv4Name(CURL* easy, CURLcode code, const std::string& name);

}  // namespace http
