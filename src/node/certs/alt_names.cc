// SPDX-License-Identifier: Apache-2.0
#include "certs/alt_names.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/addresses.h"
#include "net/ip_address.h"

namespace certs {
namespace {

bool IsDnsName(std::string_view text) {
  return base::IsDns1123Subdomain(text.starts_with("*.") ? text.substr(2) : text);
}

void AddAddress(pki::SubjectAltNames& names, const net::IpAddress& address) {
  std::string text = address.Text();
  if (std::ranges::find(names.ip_addresses, text) == names.ip_addresses.end()) {
    names.ip_addresses.push_back(std::move(text));
  }
}

// Adds the names that a user listed in `field`.
void AddExtra(pki::SubjectAltNames& names, const std::vector<std::string>& extra,
              std::string_view field) {
  for (const std::string& name : extra) {
    if (const auto read = net::IpAddress::ParseSloppy(name)) {
      AddAddress(names, *read);
    } else if (IsDnsName(base::ToLower(name))) {
      names.dns_names.push_back(base::ToLower(name));
    } else {
      base::LogWarning("{}: \"{}\" is neither an IP address nor a DNS name, it is left out", field,
                       name);
    }
  }
}

void AddAdvertiseAddress(pki::SubjectAltNames& names, const config::Init& config) {
  const std::string& address = config.init.local_api_endpoint.advertise_address;
  const auto read = net::IpAddress::ParseSloppy(address);
  if (!read) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("localAPIEndpoint.advertiseAddress: \"{}\" is not an IP address", address));
  }
  AddAddress(names, *read);
}

void AddEndpoint(pki::SubjectAltNames& names, const std::string& endpoint) {
  if (endpoint.empty()) {
    return;
  }
  const std::string host = config::ReadEndpoint(endpoint).host;
  if (const auto address = net::IpAddress::ParseSloppy(host)) {
    AddAddress(names, *address);
  } else if (base::IsDns1123Subdomain(host)) {
    names.dns_names.push_back(host);
  } else {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("controlPlaneEndpoint: \"{}\" is neither an IP address nor a DNS name", host));
  }
}

pki::SubjectAltNames ApiServerNames(const config::Init& config) {
  const config::ClusterConfiguration& cluster = config.cluster;
  pki::SubjectAltNames names;
  names.dns_names = {config.init.node_registration.name, "kubernetes", "kubernetes.default",
                     "kubernetes.default.svc",
                     "kubernetes.default.svc." + cluster.networking.dns_domain};
  AddAddress(names, base::WithContext("networking.serviceSubnet", [&] {
               return config::ApiServerServiceIp(cluster.networking);
             }));
  AddAdvertiseAddress(names, config);
  AddEndpoint(names, cluster.control_plane_endpoint);
  AddExtra(names, cluster.api_server.cert_sans, "apiServer.certSANs");
  return names;
}

pki::SubjectAltNames EtcdNames(const config::Init& config) {
  pki::SubjectAltNames names;
  names.dns_names = {config.init.node_registration.name, "localhost"};
  AddAdvertiseAddress(names, config);
  AddAddress(names, *net::IpAddress::Parse("127.0.0.1"));
  AddAddress(names, *net::IpAddress::Parse("::1"));
  return names;
}

pki::SubjectAltNames Unsorted(const CertSpec& spec, const config::Init& config) {
  const config::LocalEtcd etcd = config.cluster.etcd.local.value_or(config::LocalEtcd{});
  pki::SubjectAltNames names;
  switch (spec.names) {
    case NameRule::kNone:
      break;
    case NameRule::kCommonName:
      names.dns_names.emplace_back(spec.common_name);
      break;
    case NameRule::kApiServer:
      names = ApiServerNames(config);
      break;
    case NameRule::kEtcdServer:
      names = EtcdNames(config);
      AddExtra(names, etcd.server_cert_sans, "etcd.local.serverCertSANs");
      break;
    case NameRule::kEtcdPeer:
      names = EtcdNames(config);
      AddExtra(names, etcd.peer_cert_sans, "etcd.local.peerCertSANs");
      break;
  }
  return names;
}

}  // namespace

pki::SubjectAltNames AltNamesOf(const CertSpec& spec, const config::Init& config) {
  return Sorted(Unsorted(spec, config));
}

pki::SubjectAltNames Sorted(pki::SubjectAltNames names) {
  std::ranges::sort(names.dns_names);
  const auto repeated = std::ranges::unique(names.dns_names);
  names.dns_names.erase(repeated.begin(), repeated.end());
  return names;
}

}  // namespace certs
