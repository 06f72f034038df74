// SPDX-License-Identifier: Apache-2.0
// The Corefiles that earlier releases of kubeadm installed.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "addons/corefile.h"

namespace addons {
namespace {

// The earlier default Corefiles, each named by the first release of Kubernetes that had it. Each is
// a format string of fmt with the cluster's domain as its argument.
constexpr std::array<std::string_view, 6> kOldDefaults = {
    // 1.11
    R"(.:53 {{
    errors
    health
    kubernetes {} in-addr.arpa ip6.arpa {{
       pods insecure
       upstream
       fallthrough in-addr.arpa ip6.arpa
    }}
    prometheus :9153
    proxy . /etc/resolv.conf
    cache 30
    reload
}}
)",
    // 1.12
    R"(.:53 {{
    errors
    health
    kubernetes {} in-addr.arpa ip6.arpa {{
       pods insecure
       upstream
       fallthrough in-addr.arpa ip6.arpa
    }}
    prometheus :9153
    proxy . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}}
)",
    // 1.15
    R"(.:53 {{
    errors
    health
    kubernetes {} in-addr.arpa ip6.arpa {{
       pods insecure
       upstream
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }}
    prometheus :9153
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}}
)",
    // 1.16
    R"(.:53 {{
    errors
    health
    ready
    kubernetes {} in-addr.arpa ip6.arpa {{
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }}
    prometheus :9153
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}}
)",
    // 1.17
    R"(.:53 {{
    errors
    health {{
       lameduck 5s
    }}
    ready
    kubernetes {} in-addr.arpa ip6.arpa {{
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }}
    prometheus :9153
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}}
)",
    // 1.19
    R"(.:53 {{
    errors
    health {{
       lameduck 5s
    }}
    ready
    kubernetes {} in-addr.arpa ip6.arpa {{
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }}
    prometheus :9153
    forward . /etc/resolv.conf {{
       max_concurrent 1000
    }}
    cache 30
    loop
    reload
    loadbalance
}}
)",
};

}  // namespace

bool IsOldDefault(std::string_view text, std::string_view dns_domain) {
  return std::ranges::any_of(kOldDefaults, [&](std::string_view old) {
    return text == fmt::format(fmt::runtime(old), dns_domain);
  });
}

}  // namespace addons
