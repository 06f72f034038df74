// SPDX-License-Identifier: Apache-2.0
// Names that are looked up as IPv4 addresses alone, because name servers leave the question for
// IPv6 addresses without an answer. The resolver waits for both answers, and then has none. For the
// inside of this room.
#pragma once

#include <curl/curl.h>

#include <string>

namespace http {

// IsIpv4Name tells whether LearnIpv4Name was true of this name before, in any thread.
bool IsIpv4Name(const std::string& name);

// LearnIpv4Name looks at a request that ended with `code`. When the name of its server could not be
// looked up, or not in time, it asks the name servers of /etc/resolv.conf about the name, for up to
// 4 s. When they answer for IPv4 addresses alone it warns, remembers the name and returns true:
// another request will succeed. False for every other end, and for a name that is known already.
bool LearnIpv4Name(CURL* easy, CURLcode code, const std::string& name);

}  // namespace http
