// SPDX-License-Identifier: Apache-2.0
// Facts of a fake host, and sample configurations, for tests.
#pragma once

#include <string>

#include "base/error.h"
#include "config/facts.h"

namespace config {

// Returns facts with host name "Host-One" and address 192.0.2.10 on the default route. The host has
// no runtime socket, no network to fetch from, and only the file /etc/discovery.conf.
inline Facts FakeFacts() {
  Facts facts;
  facts.hostname = "Host-One";
  facts.network = [] {
    return NetworkFacts{
        .interfaces = {{.name = "lo", .up = true, .loopback = true, .addresses = {"127.0.0.1"}},
                       {.name = "eth0", .up = true, .addresses = {"192.0.2.10"}}},
        .default_routes = {{.interface = "eth0"}}};
  };
  facts.random = [](std::size_t count) { return std::string(count, '\x07'); };
  facts.fetch = [](const std::string& url) -> std::string {
    throw base::Error(base::Error::Kind::kUnavailable, "no route to " + url);
  };
  facts.file_exists = [](const std::string& path) { return path == "/etc/discovery.conf"; };
  return facts;
}

inline std::string InitText(const std::string& more = "") {
  return "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n" + more;
}

inline std::string ClusterText(const std::string& more = "") {
  return "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
         "kubernetesVersion: v1.36.3\n" +
         more;
}

// Returns a JoinConfiguration with a discovery section, unless `more` begins with one.
inline std::string JoinText(const std::string& more = "") {
  const std::string discovery =
      "discovery:\n  bootstrapToken:\n    token: abcdef.0123456789abcdef\n"
      "    apiServerEndpoint: 10.0.0.1:6443\n    unsafeSkipCAVerification: true\n";
  return "apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\n" +
         (more.starts_with("discovery:") ? "" : discovery) + more;
}

inline std::string ResetText(const std::string& more = "") {
  return "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ResetConfiguration\n" + more;
}

inline std::string UpgradeText(const std::string& more = "") {
  return "apiVersion: kubeadm.k8s.io/v1beta4\nkind: UpgradeConfiguration\n" + more;
}

}  // namespace config
