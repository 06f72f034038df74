// SPDX-License-Identifier: Apache-2.0
#include "config/addresses.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "net/cidr.h"

namespace config {
namespace {

// Returns the n-th address of the first network of Services.
net::IpAddress ServiceAddress(const Networking& networking, std::uint32_t n) {
  const std::string first = base::Split(networking.service_subnet, ',').front();
  const auto network = net::Cidr::ParseSloppy(first);
  if (!network) {
    throw base::Error(base::Error::Kind::kInvalid, "invalid CIDR address: " + first);
  }
  const auto address = network->Nth(n);
  if (!address) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} is too small: it has no address number {}", first, n));
  }
  return *address;
}

}  // namespace

net::HostPort ReadEndpoint(const std::string& text) {
  auto endpoint = net::HostPort::ParsePortOptional(text);
  if (!endpoint) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("address {}: {}", text, endpoint.error()));
  }
  return *std::move(endpoint);
}

net::IpAddress ApiServerServiceIp(const Networking& networking) {
  return ServiceAddress(networking, 1);
}

net::IpAddress DnsIp(const Networking& networking) { return ServiceAddress(networking, 10); }

std::string ControlPlaneEndpointUrl(const ClusterConfiguration& cluster, const ApiEndpoint& local) {
  if (cluster.control_plane_endpoint.empty()) {
    return LocalEndpointUrl(local);
  }
  net::HostPort endpoint = ReadEndpoint(cluster.control_plane_endpoint);
  const std::string bind_port = std::to_string(local.bind_port);
  if (endpoint.port.empty()) {
    endpoint.port = bind_port;
  }
  if (endpoint.port != bind_port) {
    base::LogWarning("the port of controlPlaneEndpoint, {}, is used in place of bindPort, {}",
                     endpoint.port, bind_port);
  }
  return "https://" + endpoint.Text();
}

std::string LocalEndpointUrl(const ApiEndpoint& local) {
  return "https://" + net::JoinHostPort(local.advertise_address, local.bind_port);
}

}  // namespace config
