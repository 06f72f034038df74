// SPDX-License-Identifier: Apache-2.0
// Names and addresses that no kubelet's serving certificate may carry, whoever vouches for them: a
// client of the API server, of a service or of its own machine would take the kubelet for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/ip_address.h"

namespace judgement {

// ForbiddenName is why no kubelet may serve as this DNS name; nothing when one may. Refused are
// wildcards, names of the API server (`kubernetes`, alone or as the first label), of services (a
// label `svc` behind the first), `localhost` as first or last label and the like of it in
// /etc/hosts (`ip6-localhost`, …) as the first, and what programs read as an IPv4 address (a last
// label that is a number). Letter case and trailing dots do not count.
std::optional<std::string> ForbiddenName(std::string_view dns);

// ForbiddenAddress is why no kubelet may serve at this address; nothing when one may. Refused are
// unspecified, broadcast, multicast and link-local addresses, and IPv4 addresses in the deprecated
// form ::a.b.c.d. Loopback addresses are a rule of their own, since upstream's recorded cases have
// Machines that vouch for 127.0.0.1.
std::optional<std::string> ForbiddenAddress(const net::IpAddress& ip);

}  // namespace judgement
