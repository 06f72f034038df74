// SPDX-License-Identifier: Apache-2.0
// Checks of a new control plane: size of the machine, configuration, ports, manifests, proxies,
// etcd.
#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "components/table.h"
#include "config/defaults.h"
#include "config/paths.h"
#include "config/version.h"
#include "host/init_system.h"
#include "http/proxy.h"
#include "net/cidr.h"
#include "net/host_port.h"
#include "net/ip_address.h"
#include "preflight/judge.h"
#include "preflight/lists.h"

namespace preflight {
namespace {

using checks::kBeforeInit;
using checks::Refuse;
using checks::Warn;
using components::Component;

constexpr const char* kProxyRemedy = "add the address or network to NO_PROXY";

// Returns the proxy for a URL; one with a malformed address is ignored, as in Go.
std::optional<std::string> ProxyOf(const host::Host& host, const std::string& url) {
  try {
    return http::ProxyFor([&](std::string_view name) { return host.environment.Get(name); }, url)
        .transform([](const http::Proxy& proxy) { return proxy.url; });
  } catch (const base::Error& error) {
    base::LogWarning("the proxy of the environment cannot be used: {}", error.what());
    return std::nullopt;
  }
}

std::string UrlOf(const std::string& server) {
  // The port is irrelevant, but an address in brackets must have one.
  const auto address = net::IpAddress::ParseSloppy(server);
  return "https://" + (address && address->IsIpv6() ? net::JoinHostPort(server, 1234) : server);
}

Check CidrProxyCheck(host::Host& host, const std::string& cidr) {
  return {.id = "HTTPProxyCIDR",
          .when = kNewControlPlane,
          .remedy = kProxyRemedy,
          .judge = [&host, cidr](Stop) -> Findings {
            const auto network = net::Cidr::ParseSloppy(cidr);
            const auto first = network ? network->Nth(1) : std::nullopt;
            if (!first) {
              return {Refuse(fmt::format("{} is not a network with a first address", cidr))};
            }
            return JudgeCidrProxy(
                cidr,
                ProxyOf(host, fmt::format("https://{}/", net::JoinHostPort(first->Text(), 1234))));
          }};
}

Check FirewalldCheck(host::Host& host, int api_port) {
  return {.id = "Firewalld",
          .when = kNewControlPlane,
          .remedy =
              "firewall-cmd --permanent --add-port=PORT/tcp for each, then firewall-cmd "
              "--reload",
          .judge = [&host, api_port](Stop) {
            return JudgeByInitSystem(host, [&](host::InitSystem& init_system) -> Findings {
              if (!init_system.Exists("firewalld") || !init_system.IsActive("firewalld")) {
                return {};
              }
              return {
                  Warn(fmt::format("firewalld is active; make sure that the ports {}, {} are "
                                   "open (firewall-cmd --add-port=PORT/tcp --permanent) or the "
                                   "cluster may not work",
                                   api_port, config::kKubeletPort))};
            });
          }};
}

Findings JudgeProcessors(unsigned processors) {
  constexpr unsigned kMinimum = 2;
  if (processors >= kMinimum) {
    return {};
  }
  return {Refuse(fmt::format("the number of available CPUs {} is less than the required {}",
                             processors, kMinimum))};
}

Findings JudgeMemory(std::uint64_t bytes) {
  constexpr std::uint64_t kMinimumMib = 1700;
  if (bytes >> 20U >= kMinimumMib) {
    return {};
  }
  return {Refuse(fmt::format("the system RAM ({} MB) is less than the minimum {} MB", bytes >> 20U,
                             kMinimumMib))};
}

Checks MachineChecks(host::Host& host, const config::Init& init) {
  return {{.id = "NumCPU",
           .when = kNewControlPlane,
           .remedy = "a larger machine",
           .judge = [&host](Stop) { return JudgeProcessors(host.machine.Processors()); }},
          {.id = "Mem",
           .when = kNewControlPlane,
           .remedy = "a larger machine",
           .judge = [&host](Stop) { return JudgeMemory(host.machine.MemoryBytes()); }},
          {.id = "KubernetesVersion",
           .when = kNewControlPlane,
           .remedy = "use the kubeadm of that release, or correct --kubernetes-version",
           .judge = [version = init.cluster.kubernetes_version](Stop) {
             return JudgeKubernetesVersion(version, config::KubeadmVersion());
           }}};
}

// The user's bind address of a component; "" for all addresses.
std::string BindAddress(const config::ControlPlaneComponent& component) {
  return config::FindArg(component.extra_args, "bind-address").value_or("");
}

Checks PortChecks(host::Host& host, const config::Init& init) {
  const config::ClusterConfiguration& cluster = init.cluster;
  const int port = init.init.local_api_endpoint.bind_port;
  return {FirewalldCheck(host, port),
          PortCheck(kNewControlPlane, host, BindAddress(cluster.api_server.component), port),
          PortCheck(kNewControlPlane, host, BindAddress(cluster.scheduler),
                    RowOf(Component::kScheduler).port),
          PortCheck(kNewControlPlane, host, BindAddress(cluster.controller_manager),
                    RowOf(Component::kControllerManager).port)};
}

Checks ManifestChecks(host::Host& host) {
  Checks checks;
  for (const Component component : components::kControlPlane) {
    checks.push_back(FileAvailableCheck(kNewControlPlane, host, ManifestPath(component).string()));
  }
  checks.push_back(
      FileAvailableCheck(kNewControlPlane, host, ManifestPath(Component::kEtcd).string()));
  checks.push_back(StrayManifestsCheck(host, checks::Severity::kWarning));
  checks.back().when = kNewControlPlane;
  checks.push_back(StrayManifestsCheck(host, checks::Severity::kError));
  checks.back().when = checks::kBeforeUpgrade;
  return checks;
}

Checks ProxyChecks(host::Host& host, const config::Init& init) {
  Checks checks{ProxyCheck(kNewControlPlane, host, init.init.local_api_endpoint.advertise_address)};
  for (const std::string& cidr : AllCidrs(init.cluster.networking)) {
    checks.push_back(CidrProxyCheck(host, cidr));
  }
  return checks;
}

// Accepts a missing directory, and one that contains only lost+found.
Findings JudgeEmptyDirectory(const host::Files& files, const std::string& path) {
  std::optional<host::FileInfo> info = files.Stat(path);
  if (info && info->kind == host::FileInfo::Kind::kLink) {
    info = files.Stat(path + "/.");  // the target of the link
  }
  if (!info) {
    return {};
  }
  if (info->kind != host::FileInfo::Kind::kDirectory) {
    return {Refuse(fmt::format("{} is not a directory", path))};
  }
  std::vector<std::string> entries = files.List(path);
  std::erase(entries, host::kLostAndFound);
  return entries.empty() ? Findings{} : Findings{Refuse(fmt::format("{} is not empty", path))};
}

Check DirAvailableCheck(host::Host& host, const std::string& path) {
  return {.id = "DirAvailable-" + PathName(path),
          .when = kNewControlPlane,
          .remedy = "check whether a cluster's data are in there, then kubeadm reset",
          .judge = [&host, path](Stop) { return JudgeEmptyDirectory(host.files, path); }};
}

// Members of etcd are reached at the API server's advertised address.
Checks LocalEtcdChecks(host::Host& host, const config::Init& init) {
  const std::string address = AdvertiseAddress(init);
  Checks checks{PortCheck(kNewControlPlane, host, address, config::kEtcdClientPort),
                PortCheck(kNewControlPlane, host, address, config::kEtcdPeerPort),
                DirAvailableCheck(host, init.cluster.etcd.local->data_dir)};
  std::ranges::move(EtcdKeyChecks(host.files, init.cluster), std::back_inserter(checks));
  return checks;
}

Checks ExternalEtcdChecks(host::Host& host, const config::ExternalEtcd& etcd,
                          Certificates certificates) {
  Checks checks;
  if (!etcd.endpoints.empty()) {
    checks.push_back(
        {.id = "ExternalEtcdVersion",
         .when = kBeforeInit,
         .remedy = "check endpoint, CA and client certificate; upgrade etcd to 3.5.24 "
                   "or newer",
         .judge = [&host, etcd](Stop stop) { return CheckExternalEtcd(host, etcd, stop); }});
  }
  const unsigned when = certificates == Certificates::kOnDisk ? kNewControlPlane : kBeforeInit;
  for (const std::string& path : {etcd.ca_file, etcd.cert_file, etcd.key_file}) {
    if (!path.empty()) {
      checks.push_back({.id = "ExternalEtcdClientCertificates",
                        .when = when,
                        .remedy = "copy the file here",
                        .judge = [&host, path](Stop) -> Findings {
                          if (host.files.Exists(path)) {
                            return {};
                          }
                          return {Refuse(fmt::format("{} doesn't exist", path))};
                        }});
    }
  }
  return checks;
}

}  // namespace

Findings JudgeByInitSystem(host::Host& host,
                           const std::function<Findings(host::InitSystem&)>& judge) {
  std::unique_ptr<host::InitSystem> init_system;
  try {
    init_system = host::DetectInitSystem(host);
  } catch (const base::Error& error) {
    return {Warn(error.message())};
  }
  return init_system ? judge(*init_system)
                     : Findings{Warn("no supported init system (systemd, OpenRC) was found, so "
                                     "services were not checked")};
}

std::vector<std::string> Cidrs(const std::string& field) {
  std::vector<std::string> cidrs;
  for (const std::string& part : base::Split(field, ',')) {
    if (const std::string_view cidr = base::Trim(part); !cidr.empty()) {
      cidrs.emplace_back(cidr);
    }
  }
  return cidrs;
}

std::vector<std::string> AllCidrs(const config::Networking& networking) {
  return Cidrs(networking.service_subnet + "," + networking.pod_subnet);
}

std::string AdvertiseAddress(const config::Init& init) {
  return config::FindArg(init.cluster.api_server.component.extra_args, "advertise-address")
      .value_or(init.init.local_api_endpoint.advertise_address);
}

Check PortCheck(unsigned when, host::Host& host, const std::string& address, int port) {
  return {.id = fmt::format("Port-{}", port),
          .when = when,
          .remedy =
              "find the program that listens: ss -ltnp; remove leftovers of a previous run: "
              "kubeadm reset",
          .judge = [&host, address, port](Stop) -> Findings {
            const auto problem =
                host.network.PortProblem(address, static_cast<std::uint16_t>(port));
            if (!problem) {
              return {};
            }
            const bool used = base::ToLower(*problem).contains("in use");
            return {Refuse(fmt::format("port {} cannot be used: {}{}", port, *problem,
                                       used ? " (`ss -ltnp` shows who listens)" : ""))};
          }};
}

Check FileAvailableCheck(unsigned when, host::Host& host, const std::string& path) {
  return {.id = "FileAvailable-" + PathName(path),
          .when = when,
          .remedy = "kubeadm reset, when the machine was a node; or move the file away",
          .judge = [&host, path](Stop) -> Findings {
            if (!host.files.Exists(path)) {
              return {};
            }
            return {
                Refuse(fmt::format("{} already exists: this machine is a node, or was one; "
                                   "`kubeadm reset` ends that, and deletes etcd's data with it",
                                   path))};
          }};
}

Check ProxyCheck(unsigned when, host::Host& host, const std::string& server) {
  return {
      .id = "HTTPProxy",
      .when = when,
      .remedy = kProxyRemedy,
      .judge = [&host, url = UrlOf(server)](Stop) { return JudgeProxy(url, ProxyOf(host, url)); }};
}

Checks ControlPlaneChecks(const Input& input) {
  host::Host& host = input.sources.host;
  Checks checks;
  const auto add = [&](Checks list) { std::ranges::move(list, std::back_inserter(checks)); };
  if (input.init) {
    add(MachineChecks(host, *input.init));
    add(ConfigChecks(host, *input.init));
    add(PortChecks(host, *input.init));
  }
  add(ManifestChecks(host));
  if (input.init) {
    add(ProxyChecks(host, *input.init));
  }
  return checks;
}

Checks EtcdChecks(const Input& input) {
  if (!input.init) {
    return {};
  }
  host::Host& host = input.sources.host;
  const config::Etcd& etcd = input.init->cluster.etcd;
  Checks checks = etcd.local ? LocalEtcdChecks(host, *input.init) : Checks();
  if (etcd.external) {
    std::ranges::move(ExternalEtcdChecks(host, *etcd.external, input.certificates),
                      std::back_inserter(checks));
  }
  return checks;
}

}  // namespace preflight
