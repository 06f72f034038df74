// SPDX-License-Identifier: Apache-2.0
#include "preflight/checks.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "components/table.h"
#include "config/addresses.h"
#include "config/defaults.h"
#include "config/paths.h"
#include "json/value.h"
#include "kubelet/extra_args.h"
#include "net/cidr.h"
#include "net/ip_address.h"
#include "preflight/single_checks.h"
#include "releases/releases.h"

namespace preflight {
namespace {

using components::Component;

constexpr const char* kIpv4Forwarding = "/proc/sys/net/ipv4/ip_forward";
constexpr const char* kIpv6Forwarding = "/proc/sys/net/ipv6/conf/default/forwarding";

void Append(std::vector<Check>& checks, std::vector<Check> more) {
  std::ranges::move(more, std::back_inserter(checks));
}

// Returns the networks of a "CIDR[,CIDR]" field.
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
  std::vector<std::string> cidrs = Cidrs(networking.service_subnet);
  for (std::string& cidr : Cidrs(networking.pod_subnet)) {
    cidrs.push_back(std::move(cidr));
  }
  return cidrs;
}

// The IP families of the cluster on this node.
struct Families {
  bool ipv4 = false;
  bool ipv6 = false;
  void Add(bool is_ipv6) { (is_ipv6 ? ipv6 : ipv4) = true; }
};

Families FamiliesOf(const config::Init& config) {
  Families families;
  const std::string& address = config.init.local_api_endpoint.advertise_address;
  if (const auto read = net::IpAddress::ParseSloppy(address)) {
    families.Add(read->IsIpv6());
  }
  for (const std::string& cidr : AllCidrs(config.cluster.networking)) {
    if (const auto read = net::Cidr::ParseSloppy(cidr)) {
      families.Add(read->IsIpv6());
    }
  }
  return families;
}

std::vector<Check> ForwardingChecks(host::Host& host, const Families& families) {
  std::vector<Check> checks;
  if (families.ipv4) {
    checks.push_back(SwitchCheck(host, kIpv4Forwarding));
  }
  if (families.ipv6) {
    checks.push_back(SwitchCheck(host, kIpv6Forwarding));
  }
  return checks;
}

// Returns the user's bind address of a component; "" means all addresses.
std::string BindAddress(const config::ControlPlaneComponent& component) {
  return config::FindArg(component.extra_args, "bind-address").value_or("");
}

// Returns the networks of the API server's Service addresses.
std::vector<std::string> ServiceCidrs(const config::ClusterConfiguration& cluster) {
  return Cidrs(config::FindArg(cluster.api_server.component.extra_args, "service-cluster-ip-range")
                   .value_or(cluster.networking.service_subnet));
}

// Machine, ports, manifests and proxies, of init and of a joining control plane.
std::vector<Check> ControlPlaneChecks(host::Host& host, const config::Init& config) {
  const config::ClusterConfiguration& cluster = config.cluster;
  const int port = config.init.local_api_endpoint.bind_port;
  std::vector<Check> checks{
      ProcessorsCheck(host),
      MemoryCheck(host),
      KubernetesVersionCheck(config.cluster.kubernetes_version),
      FamiliesCheck(config, ServiceCidrs(cluster), Cidrs(cluster.networking.pod_subnet)),
      SigningCertificateCheck(host, cluster),
      FirewalldCheck(host, {port, config::kKubeletPort}),
      PortCheck(host, BindAddress(cluster.api_server.component), port),
      PortCheck(host, BindAddress(cluster.scheduler), RowOf(Component::kScheduler).port),
      PortCheck(host, BindAddress(cluster.controller_manager),
                RowOf(Component::kControllerManager).port)};
  for (const Component component : components::kControlPlane) {
    checks.push_back(FileAvailableCheck(host, ManifestPath(component).string()));
  }
  checks.push_back(FileAvailableCheck(host, ManifestPath(Component::kEtcd).string()));
  checks.push_back(StrayManifestsCheck(host, Severity::kWarning));
  checks.push_back(ProxyCheck(host, config.init.local_api_endpoint.advertise_address));
  for (const std::string& cidr : AllCidrs(config.cluster.networking)) {
    checks.push_back(CidrProxyCheck(host, cidr));
  }
  return checks;
}

// A node that does not know its cluster's version yet uses the kubelet's; without one, the newest.
FindRelease ReleaseOf(const std::string& kubernetes_version, const KubeletProgramPtr& kubelet) {
  return [kubernetes_version, kubelet]() -> const releases::Release& {
    if (!kubernetes_version.empty()) {
      return releases::For(kubernetes_version);
    }
    const KubeletVersion version = kubelet->Version();
    return version ? releases::For(*version) : releases::Newest();
  };
}

// Reads the kubelet's arguments in the user's configuration and the package's file. They override
// the configuration file.
KubeletSwap SwapOfFlags(const config::NodeRegistration& node, const host::Files& files) {
  std::optional<std::string> fails = config::FindArg(node.kubelet_extra_args, "fail-swap-on");
  for (const std::string& word : kubelet::ExtraArguments(files)) {
    constexpr std::string_view kFlag = "--fail-swap-on";
    if (word.starts_with(kFlag)) {
      fails = word.substr(std::min(word.find('=', kFlag.size()), word.size()));
    }
  }
  if (!fails) {
    return KubeletSwap::kUnknown;
  }
  return fails->ends_with("false") ? KubeletSwap::kTolerates : KubeletSwap::kRefuses;
}

KubeletSwap SwapOf(const config::Init& config, const host::Files& files) {
  const KubeletSwap flags = SwapOfFlags(config.init.node_registration, files);
  if (flags != KubeletSwap::kUnknown) {
    return flags;
  }
  return json::At(config.cluster.kubelet.value, {"failSwapOn"}) == json::Value(false)
             ? KubeletSwap::kTolerates
             : KubeletSwap::kRefuses;
}

// The checks of every node. `kubernetes_version` is "" if it is unknown.
std::vector<Check> NodeChecks(const Sources& sources, const config::NodeRegistration& node,
                              const std::string& kubernetes_version, KubeletSwap swap) {
  host::Host& host = sources.host;
  const auto kubelet = std::make_shared<KubeletProgram>(host);
  std::vector<Check> checks{
      RuntimeCheck(sources, node.cri_socket),
      RuntimeVersionCheck(sources, node.cri_socket, ReleaseOf(kubernetes_version, kubelet)),
      SwapCheck(host, swap)};
  checks.push_back(ExecutableCheck(host, "losetup"));
  checks.push_back(ExecutableCheck(host, "mount"));
  checks.push_back(GetentCheck(host, ReleaseOf(kubernetes_version, kubelet)));
  checks.push_back(ExecutableCheck(host, "cp"));
  checks.push_back(SystemCheck(host, kubelet, ""));
  checks.push_back(HostnameCheck(host, node.name));
  checks.push_back(KubeletVersionCheck(kubelet, kubernetes_version));
  checks.push_back(ServiceCheck(host, "kubelet"));
  checks.push_back(PortCheck(host, "", config::kKubeletPort));
  return checks;
}

// etcd's members are reached at the API server's advertised address.
std::vector<Check> LocalEtcdChecks(host::Host& host, const config::Init& config) {
  const config::ClusterConfiguration& cluster = config.cluster;
  if (!cluster.etcd.local) {
    return {};
  }
  const std::string address =
      config::FindArg(cluster.api_server.component.extra_args, "advertise-address")
          .value_or(config.init.local_api_endpoint.advertise_address);
  std::vector<Check> checks{PortCheck(host, address, config::kEtcdClientPort),
                            PortCheck(host, address, config::kEtcdPeerPort),
                            DirAvailableCheck(host, cluster.etcd.local->data_dir)};
  if (config::EncryptionAlgorithm(cluster).starts_with("ML-DSA-")) {
    checks.push_back(EtcdKeyAlgorithmCheck(host, cluster));
  }
  return checks;
}

std::vector<Check> EtcdCertificateChecks(host::Host& host,
                                         const config::ClusterConfiguration& cluster) {
  std::vector<Check> checks;
  if (const std::optional<config::ExternalEtcd>& etcd = cluster.etcd.external) {
    for (const std::string& path : {etcd->ca_file, etcd->cert_file, etcd->key_file}) {
      if (!path.empty()) {
        checks.push_back(FileExistsCheck(host, "ExternalEtcdClientCertificates", path));
      }
    }
  }
  return checks;
}

}  // namespace

std::string PathName(const std::string& path) { return base::ReplaceAll(path, "/", "-"); }

std::vector<Check> RootChecks(host::Host& host) {
  return {{.name = "IsPrivilegedUser", .run = [&host](const std::stop_token&) {
             return JudgePrivileges(host.machine.EffectiveUser());
           }}};
}

std::vector<Check> InitChecks(const Sources& sources, const config::Init& config) {
  host::Host& host = sources.host;
  std::vector<Check> checks = ControlPlaneChecks(host, config);
  Append(checks, NodeChecks(sources, config.init.node_registration,
                            config.cluster.kubernetes_version, SwapOf(config, host.files)));
  Append(checks, ForwardingChecks(host, FamiliesOf(config)));
  if (const std::optional<config::ExternalEtcd>& etcd = config.cluster.etcd.external;
      etcd && !etcd->endpoints.empty()) {
    checks.push_back(ExternalEtcdCheck(host, *etcd));
  }
  Append(checks, LocalEtcdChecks(host, config));
  Append(checks, EtcdCertificateChecks(host, config.cluster));
  return checks;
}

std::vector<Check> JoinChecks(const Sources& sources, const config::JoinConfiguration& config) {
  host::Host& host = sources.host;
  std::vector<Check> checks;
  for (const std::string_view name : {config::kKubeletConf, config::kBootstrapKubeletConf}) {
    checks.push_back(FileAvailableCheck(host, fmt::format("{}/{}", config::kKubernetesDir, name)));
  }
  Append(checks, NodeChecks(sources, config.node_registration, "",
                            SwapOfFlags(config.node_registration, host.files)));
  if (!config.control_plane) {
    checks.push_back(FileAvailableCheck(host, config.ca_cert_path));
  }
  if (!config.discovery.bootstrap_token) {
    return checks;
  }
  std::string server;
  try {
    server = config::ReadEndpoint(config.discovery.bootstrap_token->api_server_endpoint).host;
  } catch (const base::Error&) {
    return checks;  // validation has reported it
  }
  checks.push_back(ProxyCheck(host, server));
  if (const auto address = net::IpAddress::ParseSloppy(server)) {
    Families families;
    families.Add(address->IsIpv6());
    Append(checks, ForwardingChecks(host, families));
  }
  return checks;
}

std::vector<Check> JoinControlPlaneChecks(const Sources& sources, const config::Init& config,
                                          Certificates certificates) {
  std::vector<Check> checks = ControlPlaneChecks(sources.host, config);
  Append(checks, LocalEtcdChecks(sources.host, config));
  if (certificates == Certificates::kOnDisk) {
    Append(checks, EtcdCertificateChecks(sources.host, config.cluster));
  }
  return checks;
}

std::vector<Check> UpgradeChecks(const Sources& sources, const std::string& cri_socket,
                                 const std::string& kubernetes_version) {
  const auto kubelet = std::make_shared<KubeletProgram>(sources.host);
  return {StrayManifestsCheck(sources.host, Severity::kError),
          SystemCheck(sources.host, kubelet, kubernetes_version),
          RuntimeVersionCheck(sources, cri_socket, ReleaseOf(kubernetes_version, kubelet))};
}

}  // namespace preflight
