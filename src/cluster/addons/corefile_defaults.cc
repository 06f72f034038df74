// SPDX-License-Identifier: Apache-2.0
// The Corefiles that earlier releases of kubeadm installed.
#include <algorithm>
#include <array>

#include "addons/corefile.h"

namespace addons {
namespace {

// Each is named by the first release of Kubernetes that had it. "*" stands for the cluster's
// domain and for the upstream server.
constexpr std::array<std::string_view, 6> kOldDefaults = {
    // 1.11
    R"(.:53 {
    errors
    health
    kubernetes * in-addr.arpa ip6.arpa {
        pods insecure
        upstream
        fallthrough in-addr.arpa ip6.arpa
    }
    prometheus :9153
    proxy . *
    cache 30
    reload
})",
    // 1.12
    R"(.:53 {
    errors
    health
    kubernetes * in-addr.arpa ip6.arpa {
        pods insecure
        upstream
        fallthrough in-addr.arpa ip6.arpa
    }
    prometheus :9153
    proxy . *
    cache 30
    loop
    reload
    loadbalance
})",
    // 1.15
    R"(.:53 {
    errors
    health
    kubernetes * in-addr.arpa ip6.arpa {
        pods insecure
        upstream
        fallthrough in-addr.arpa ip6.arpa
        ttl 30
    }
    prometheus :9153
    forward . *
    cache 30
    loop
    reload
    loadbalance
})",
    // 1.16
    R"(.:53 {
    errors
    health
    ready
    kubernetes * in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 30
    }
    prometheus :9153
    forward . *
    cache 30
    loop
    reload
    loadbalance
})",
    // 1.17
    R"(.:53 {
    errors
    health {
        lameduck 5s
    }
    ready
    kubernetes * in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 30
    }
    prometheus :9153
    forward . *
    cache 30
    loop
    reload
    loadbalance
})",
    // 1.19
    R"(.:53 {
    errors
    health {
        lameduck 5s
    }
    ready
    kubernetes * in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 30
    }
    prometheus :9153
    forward . * {
        max_concurrent 1000
    }
    cache 30
    loop
    reload
    loadbalance
})",
};

// Generic puts "*" where a cluster's own values stand.
Directive Generic(const Directive& plugin) {
  Directive generic = plugin;
  std::vector<std::string>& words = generic.words;
  if (plugin.name() == "kubernetes" && words.size() >= 3 && words.end()[-2] == "in-addr.arpa" &&
      words.end()[-1] == "ip6.arpa") {
    words = {"kubernetes", "*", "in-addr.arpa", "ip6.arpa"};
  }
  if ((plugin.name() == "forward" || plugin.name() == "proxy") && words.size() == 3 &&
      words[1] == ".") {
    words[2] = "*";
  }
  return generic;
}

void Sort(std::vector<Directive>& directives) {
  std::ranges::sort(directives, {}, &Directive::words);
  for (Directive& directive : directives) {
    Sort(directive.block);
  }
}

Corefile Canonical(const Corefile& corefile) {
  Corefile canonical = corefile;
  for (ServerBlock& block : canonical.blocks) {
    std::ranges::transform(block.plugins, block.plugins.begin(), Generic);
    Sort(block.plugins);
  }
  return canonical;
}

}  // namespace

bool IsOldDefault(const Corefile& corefile) {
  const Corefile canonical = Canonical(corefile);
  return std::ranges::any_of(kOldDefaults, [&](std::string_view text) {
    return Canonical(Corefile::Parse(text)) == canonical;
  });
}

}  // namespace addons
