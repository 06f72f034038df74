// SPDX-License-Identifier: Apache-2.0
// Names and addresses that no kubelet's serving certificate may have, whatever attests them: with
// such a certificate a kubelet could impersonate the API server, a service, or a program on the
// client's own machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/ip_address.h"

namespace judgement {

// Returns why a kubelet must not serve as this DNS name; std::nullopt if it may. Wildcards are
// refused. Names of the API server are refused: `kubernetes`, alone or as the first label. Names of
// services are refused: a label `svc` after the first. `localhost` is refused as first or last
// label; its variants in /etc/hosts (`ip6-localhost`, …) are refused as first label. A name whose
// last label is a number is refused, because programs read such a name as an IPv4 address. Case and
// trailing dots are ignored.
std::optional<std::string> ForbiddenName(std::string_view dns);

// Returns why a kubelet must not serve at this address; std::nullopt if it may. Refused are
// unspecified, broadcast, multicast and link-local addresses, and IPv4 addresses in the deprecated
// form ::a.b.c.d. A separate rule judges loopback addresses, because upstream's recorded cases
// contain Machines with 127.0.0.1.
std::optional<std::string> ForbiddenAddress(const net::IpAddress& ip);

}  // namespace judgement
