// SPDX-License-Identifier: Apache-2.0
// The kernel's routing tables as text (proc(5)); for the inside of this room.
#pragma once

#include <string_view>
#include <vector>

#include "host/network.h"

namespace host {

// ParseDefaultRoutes reads /proc/net/route and /proc/net/ipv6_route; lines it does not understand
// are skipped. IPv4 comes first, then the tables' order.
std::vector<DefaultRoute> ParseDefaultRoutes(std::string_view ipv4, std::string_view ipv6);

}  // namespace host
