#include "config/addresses.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"

namespace config {
namespace {

// IpBytes is the 4 or 16 bytes of an address, nothing when the text is none. An IPv4 number with a
// leading zero is refused: some readers take it for octal (CVE-2021-29923).
std::optional<std::vector<unsigned char>> IpBytes(std::string_view text) {
  const std::string copy(text);
  std::vector<unsigned char> bytes(4);
  if (inet_pton(AF_INET, copy.c_str(), bytes.data()) == 1) {
    for (const std::string& part : base::Split(copy, '.')) {
      if (part.size() > 1 && part[0] == '0') {
        return std::nullopt;
      }
    }
    return bytes;
  }
  bytes.resize(16);
  if (copy.size() == text.size() && inet_pton(AF_INET6, copy.c_str(), bytes.data()) == 1) {
    return bytes;
  }
  return std::nullopt;
}

std::string TextOf(const std::vector<unsigned char>& bytes) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text, sizeof(text));
  return text;
}

void ClearHostBits(std::vector<unsigned char>& address, int prefix) {
  for (std::size_t i = 0; i < address.size(); ++i) {
    const int kept = std::clamp(prefix - static_cast<int>(i) * 8, 0, 8);
    address[i] &= static_cast<unsigned char>(0xFF00 >> kept);
  }
}

std::optional<int> Number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || text[0] == '-' ||
      text[0] == '+') {
    return std::nullopt;
  }
  return value;
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
  const auto bytes = IpBytes(text.substr(0, slash));
  const auto prefix = Number(text.substr(slash + 1));
  if (!bytes || !prefix || *prefix > static_cast<int>(bytes->size()) * 8) {
    throw NoCidr(text);
  }
  Cidr cidr{.address = *bytes, .prefix = *prefix};
  ClearHostBits(cidr.address, cidr.prefix);
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
  std::vector<unsigned char> address = network.address;
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
  if (IsIpv6(text)) {
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
