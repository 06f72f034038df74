// Addresses and URLs that follow from a configuration.
#pragma once

#include <string>
#include <vector>

#include "config/types.h"

namespace config {

// Cidr is a parsed network: address bytes (4 or 16) and prefix length.
struct Cidr {
  std::vector<unsigned char> address;  // network address, host bits cleared
  int prefix = 0;
  bool ipv6() const { return address.size() == 16; }
  std::string Text() const;
};

// IPv4 within IPv6 (::ffff:10.0.0.1) is taken for the IPv4 address everywhere.
bool IsIp(std::string_view text);
bool IsIpv6(std::string_view text);
// CanonicalIp is the shortest text form (RFC 5952); an IPv4 address in an IPv6 one
// (::ffff:10.0.0.1) is that IPv4 address. The text itself when it is no address.
std::string CanonicalIp(std::string_view text);
// ParseCidr throws base::Error(kInvalid).
Cidr ParseCidr(std::string_view text);
// ParseCidrs reads "CIDR[,CIDR]".
std::vector<Cidr> ParseCidrs(std::string_view text);
// AddressAt is the n-th address of the network (0 is the network itself), as text.
std::string AddressAt(const Cidr& network, unsigned n);

// ContainsAddress is false for a text that is no address and for the other family.
bool ContainsAddress(const Cidr& network, std::string_view address);

// JoinHostPort is "host:port" with brackets round an IPv6 address.
std::string JoinHostPort(const std::string& host, const std::string& port);
struct HostPort {
  std::string host;
  std::string port;  // "" when none was given
};
// SplitHostPort reads "host", "host:port", "[v6]:port" or a bare IPv6 address. Throws kInvalid.
HostPort SplitHostPort(const std::string& text);

// ApiServerServiceIp is the first and DnsIp the tenth address of the first service network.
std::string ApiServerServiceIp(const Networking& networking);
std::string DnsIp(const Networking& networking);

// ControlPlaneEndpointUrl is "https://<controlPlaneEndpoint, or advertise address>:<port>";
// LocalEndpointUrl always names this node's API server.
std::string ControlPlaneEndpointUrl(const ClusterConfiguration& cluster, const ApiEndpoint& local);
std::string LocalEndpointUrl(const ApiEndpoint& local);

}  // namespace config
