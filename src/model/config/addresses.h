// SPDX-License-Identifier: Apache-2.0
// Addresses that follow from a configuration.
#pragma once

#include <string>

#include "config/types.h"
#include "net/host_port.h"
#include "net/ip_address.h"

namespace config {

// Parses a controlPlaneEndpoint: "host", "host:port", "[v6]:port" or a bare IPv6 address. Does not
// check host and port. Throws base::Error(kInvalid) for another form.
net::HostPort ReadEndpoint(const std::string& text);

// ApiServerServiceIp returns the first and DnsIp the tenth address of the first service network.
// Both throw base::Error(kInvalid) if the field is not a network, or the network is too small.
net::IpAddress ApiServerServiceIp(const Networking& networking);
net::IpAddress DnsIp(const Networking& networking);

// ControlPlaneEndpointUrl returns the URL of the control plane: "https://<controlPlaneEndpoint, or
// advertise address>:<port>". LocalEndpointUrl always returns the URL of this node's API server.
std::string ControlPlaneEndpointUrl(const ClusterConfiguration& cluster, const ApiEndpoint& local);
std::string LocalEndpointUrl(const ApiEndpoint& local);

}  // namespace config
