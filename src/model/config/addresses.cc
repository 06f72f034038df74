#include "config/addresses.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "base/strings.h"

namespace config {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::array<unsigned char, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr int kMappedBits = 96;

// IsMapped tells IPv4 within IPv6: ::ffff:10.0.0.1.
bool IsMapped(const Bytes& address) {
  return address.size() == 16 && std::ranges::equal(std::span(address).first(12), kMappedPrefix);
}

void Unmap(Bytes& address) { address.erase(address.begin(), address.begin() + 12); }

// Ipv4Bytes passes over leading zeros: all of Kubernetes reads 010.0.0.1 as 10.0.0.1.
std::optional<Bytes> Ipv4Bytes(std::string_view text) {
  Bytes bytes;
  for (const std::string& part : base::Split(text, '.')) {
    const auto value = base::ParseNumber<unsigned>(part);
    if (!value || *value > 0xFF) {
      return std::nullopt;
    }
    bytes.push_back(static_cast<unsigned char>(*value));
  }
  return bytes.size() == 4 ? std::optional(bytes) : std::nullopt;
}

// WrittenBytes is the 4 or 16 bytes of an address as it is written, nothing when the text is none.
std::optional<Bytes> WrittenBytes(std::string_view text) {
  if (auto bytes = Ipv4Bytes(text)) {
    return bytes;
  }
  const std::string copy(text);
  Bytes bytes(16);
  const bool whole = copy.find('\0') == std::string::npos;
  return whole && inet_pton(AF_INET6, copy.c_str(), bytes.data()) == 1 ? std::optional(bytes)
                                                                       : std::nullopt;
}

// IpBytes takes IPv4 within IPv6 for the IPv4 address that it is.
std::optional<Bytes> IpBytes(std::string_view text) {
  auto bytes = WrittenBytes(text);
  if (bytes && IsMapped(*bytes)) {
    Unmap(*bytes);
  }
  return bytes;
}

std::string TextOf(const Bytes& bytes) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text, sizeof(text));
  return text;
}

void ClearHostBits(Bytes& address, int prefix) {
  for (std::size_t i = 0; i < address.size(); ++i) {
    const int kept = std::clamp(prefix - static_cast<int>(i) * 8, 0, 8);
    address[i] &= static_cast<unsigned char>(0xFF00 >> kept);
  }
}

base::Error NoCidr(std::string_view text) {
  return base::Error(base::Error::Kind::kInvalid, fmt::format("invalid CIDR address: {}", text));
}

}  // namespace

std::string Cidr::Text() const { return fmt::format("{}/{}", TextOf(address), prefix); }

bool IsIp(std::string_view text) { return IpBytes(text).has_value(); }

bool IsIpv6(std::string_view text) {
  const auto bytes = IpBytes(text);
  return bytes && bytes->size() == 16;
}

std::string CanonicalIp(std::string_view text) {
  const auto bytes = IpBytes(text);
  std::string canonical = bytes ? TextOf(*bytes) : std::string(text);
  constexpr std::string_view kMapped = "::ffff:";
  if (canonical.starts_with(kMapped) && IsIp(canonical.substr(kMapped.size()))) {
    canonical.erase(0, kMapped.size());
  }
  return canonical;
}

Cidr ParseCidr(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) {
    throw NoCidr(text);
  }
  const auto bytes = WrittenBytes(text.substr(0, slash));
  const auto prefix = base::ParseNumber<unsigned>(text.substr(slash + 1));
  if (!bytes || !prefix || *prefix > bytes->size() * 8) {
    throw NoCidr(text);
  }
  Cidr cidr{.address = *bytes, .prefix = static_cast<int>(*prefix)};
  ClearHostBits(cidr.address, cidr.prefix);
  if (cidr.prefix >= kMappedBits && IsMapped(cidr.address)) {
    Unmap(cidr.address);
    cidr.prefix -= kMappedBits;
  }
  return cidr;
}

std::vector<Cidr> ParseCidrs(std::string_view text) {
  std::vector<Cidr> cidrs;
  for (const std::string& part : base::Split(text, ',')) {
    cidrs.push_back(ParseCidr(part));
  }
  return cidrs;
}

std::string AddressAt(const Cidr& network, unsigned n) {
  Bytes address = network.address;
  for (std::size_t i = address.size(); i > 0 && n > 0; --i) {
    n += address[i - 1];
    address[i - 1] = static_cast<unsigned char>(n & 0xFF);
    n >>= 8;
  }
  return TextOf(address);
}

bool ContainsAddress(const Cidr& network, std::string_view address) {
  auto bytes = IpBytes(address);
  if (!bytes || bytes->size() != network.address.size()) {
    return false;
  }
  ClearHostBits(*bytes, network.prefix);
  return *bytes == network.address;
}

std::string JoinHostPort(const std::string& host, const std::string& port) {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

HostPort SplitHostPort(const std::string& text) {
  const auto invalid = [&](std::string_view why) {
    return base::Error(base::Error::Kind::kInvalid, fmt::format("address {}: {}", text, why));
  };
  if (IsIp(text)) {
    return {.host = text, .port = ""};
  }
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string::npos) {
      throw invalid("missing ']' in address");
    }
    const std::string rest = text.substr(end + 1);
    if (!rest.empty() && rest[0] != ':') {
      throw invalid("missing port in address");
    }
    return {.host = text.substr(1, end - 1), .port = rest.empty() ? "" : rest.substr(1)};
  }
  const auto colon = text.find(':');
  if (colon == std::string::npos) {
    return {.host = text, .port = ""};
  }
  if (text.find(':', colon + 1) != std::string::npos) {
    throw invalid("too many colons in address");
  }
  return {.host = text.substr(0, colon), .port = text.substr(colon + 1)};
}

std::string ApiServerServiceIp(const Networking& networking) {
  return AddressAt(ParseCidr(base::Split(networking.service_subnet, ',').front()), 1);
}

std::string DnsIp(const Networking& networking) {
  return AddressAt(ParseCidr(base::Split(networking.service_subnet, ',').front()), 10);
}

std::string ControlPlaneEndpointUrl(const ClusterConfiguration& cluster, const ApiEndpoint& local) {
  if (cluster.control_plane_endpoint.empty()) {
    return LocalEndpointUrl(local);
  }
  const HostPort endpoint = SplitHostPort(cluster.control_plane_endpoint);
  const std::string bind_port = std::to_string(local.bind_port);
  const std::string port = endpoint.port.empty() ? bind_port : endpoint.port;
  if (port != bind_port) {
    base::LogWarning("the port of controlPlaneEndpoint, {}, is used in place of bindPort, {}", port,
                     bind_port);
  }
  return "https://" + JoinHostPort(endpoint.host, port);
}

std::string LocalEndpointUrl(const ApiEndpoint& local) {
  return "https://" + JoinHostPort(local.advertise_address, std::to_string(local.bind_port));
}

}  // namespace config
