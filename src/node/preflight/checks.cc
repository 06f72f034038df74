// SPDX-License-Identifier: Apache-2.0
#include "preflight/checks.h"

#include <fmt/core.h>

#include <iterator>

#include "base/error.h"
#include "base/strings.h"
#include "components/strays.h"
#include "config/addresses.h"
#include "config/defaults.h"
#include "config/paths.h"
#include "net/cidr.h"
#include "net/ip_address.h"
#include "preflight/judge.h"
#include "preflight/lists.h"

namespace preflight {
namespace {

using checks::Findings;
using checks::Severity;

constexpr const char* kIpv4Forwarding = "/proc/sys/net/ipv4/ip_forward";
constexpr const char* kIpv6Forwarding = "/proc/sys/net/ipv6/conf/default/forwarding";

// The host of the API server to join at; std::nullopt for an address that validation has refused.
std::optional<std::string> ServerOf(const Input& input) {
  if (!input.join || !input.join->discovery.bootstrap_token) {
    return std::nullopt;
  }
  try {
    return config::ReadEndpoint(input.join->discovery.bootstrap_token->api_server_endpoint).host;
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

// Families of IP that the cluster uses on this node.
struct Families {
  bool ipv4 = false;
  bool ipv6 = false;
  void Add(bool is_ipv6) { (is_ipv6 ? ipv6 : ipv4) = true; }
};

Families FamiliesOf(const Input& input) {
  Families families;
  const std::string address = input.init ? input.init->init.local_api_endpoint.advertise_address
                                         : ServerOf(input).value_or("");
  if (const auto read = net::IpAddress::ParseSloppy(address)) {
    families.Add(read->IsIpv6());
  }
  for (const std::string& cidr :
       input.init ? AllCidrs(input.init->cluster.networking) : std::vector<std::string>()) {
    if (const auto read = net::Cidr::ParseSloppy(cidr)) {
      families.Add(read->IsIpv6());
    }
  }
  return families;
}

Check SwitchCheck(host::Host& host, const std::string& path) {
  return {.id = "FileContent-" + PathName(path),
          .when = kNewNode,
          .remedy = SysctlRemedy(path),
          .judge = [&host, path](Stop) { return JudgeSwitch(path, host.files.Find(path)); }};
}

Checks ForwardingChecks(const Input& input) {
  const Families families = FamiliesOf(input);
  Checks checks;
  if (families.ipv4) {
    checks.push_back(SwitchCheck(input.sources.host, kIpv4Forwarding));
  }
  if (families.ipv6) {
    checks.push_back(SwitchCheck(input.sources.host, kIpv6Forwarding));
  }
  return checks;
}

// Returns the checks for files that an earlier join left.
Checks JoinedChecks(const Input& input) {
  Checks checks;
  for (const std::string_view name : {config::kKubeletConf, config::kBootstrapKubeletConf}) {
    checks.push_back(FileAvailableCheck(checks::kBeforeJoin, input.sources.host,
                                        fmt::format("{}/{}", config::kKubernetesDir, name)));
  }
  return checks;
}

// Returns the checks of the connections to the cluster that a node joins.
Checks ClusterChecks(const Input& input) {
  Checks checks;
  if (input.join && !input.join->control_plane) {
    checks.push_back(
        FileAvailableCheck(checks::kBeforeJoin, input.sources.host, input.join->ca_cert_path));
  }
  if (const auto server = ServerOf(input)) {
    checks.push_back(ProxyCheck(checks::kBeforeJoin, input.sources.host, *server));
  }
  return checks;
}

// The order of the lists is that of the report, which is upstream's.
Checks ChecksBefore(checks::When when, const Input& input) {
  Checks all;
  for (Checks list : {JoinedChecks(input), ControlPlaneChecks(input), NodeChecks(input),
                      ClusterChecks(input), ForwardingChecks(input), EtcdChecks(input)}) {
    std::ranges::move(list, std::back_inserter(all));
  }
  return checks::Select(std::move(all), when);
}

}  // namespace

std::string PathName(const std::string& path) { return base::ReplaceAll(path, "/", "-"); }

Checks RootChecks(host::Host& host) {
  return {{.id = "IsPrivilegedUser", .remedy = "run it as root", .judge = [&host](Stop) {
             return host.machine.EffectiveUser() == 0
                        ? Findings{}
                        : Findings{checks::Refuse("user is not running as root")};
           }}};
}

Check StrayManifestsCheck(host::Host& host, Severity severity) {
  return {.id = "StrayManifests", .judge = [&host, severity](Stop) {
            Findings findings;
            for (const components::Stray& stray : components::FindStrays(host.files)) {
              findings.push_back({.severity = severity,
                                  .what = components::StrayText(stray),
                                  .remedy = components::JudgeStray(stray).remedy,
                                  .ignorable = true});
            }
            return findings;
          }};
}

Checks InitChecks(const Sources& sources, const config::Init& config) {
  return ChecksBefore(checks::kBeforeInit, {.sources = sources,
                                            .node = config.init.node_registration,
                                            .kubernetes_version = config.cluster.kubernetes_version,
                                            .init = config});
}

Checks JoinChecks(const Sources& sources, const config::JoinConfiguration& config) {
  return ChecksBefore(checks::kBeforeJoin,
                      {.sources = sources, .node = config.node_registration, .join = config});
}

Checks JoinControlPlaneChecks(const Sources& sources, const config::Init& config,
                              Certificates certificates) {
  return ChecksBefore(checks::kBeforeControlPlaneJoin,
                      {.sources = sources, .init = config, .certificates = certificates});
}

Checks UpgradeChecks(const Sources& sources, const std::string& cri_socket,
                     const std::string& kubernetes_version) {
  return ChecksBefore(checks::kBeforeUpgrade, {.sources = sources,
                                               .node = {.cri_socket = cri_socket},
                                               .kubernetes_version = kubernetes_version,
                                               .upgraded_to = kubernetes_version});
}

}  // namespace preflight
