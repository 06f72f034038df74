// SPDX-License-Identifier: Apache-2.0
// Parsing of the kernel's routing tables (proc(5)). Internal to this library.
#pragma once

#include <string_view>
#include <vector>

#include "host/network.h"

namespace host {

// Parses /proc/net/route and /proc/net/ipv6_route; skips unknown lines. Returns the IPv4 routes,
// then the IPv6 routes, each in the order of its table.
std::vector<DefaultRoute> ParseDefaultRoutes(std::string_view ipv4, std::string_view ipv6);

}  // namespace host
