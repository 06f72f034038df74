#include "http/proxy.h"

#include <arpa/inet.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"
#include "http/url.h"

namespace http {
namespace {

// Address is an IP address in IPv6 form; IPv4 is mapped (::ffff:a.b.c.d), so that both compare.
using Address = std::array<std::uint8_t, 16>;

constexpr int kMappedBits = 96;

std::optional<Address> ParseAddress(const std::string& text) {
  Address address{};
  if (inet_pton(AF_INET6, text.c_str(), address.data()) == 1) {
    return address;
  }
  address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (inet_pton(AF_INET, text.c_str(), address.data() + kMappedBits / 8) == 1) {
    return address;
  }
  return std::nullopt;
}

bool IsMapped(const Address& address) {
  constexpr std::uint8_t kPrefix[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::memcmp(address.data(), kPrefix, sizeof kPrefix) == 0;
}

bool IsLoopback(const Address& address) {
  Address six{};
  six[15] = 1;
  return address == six || (IsMapped(address) && address[kMappedBits / 8] == 127);
}

// InRange tells whether `address` lies in `range`, an "address/bits" text; false for other texts.
bool InRange(const Address& address, const std::string& range) {
  const auto slash = range.find('/');
  const auto base =
      slash == std::string::npos ? std::nullopt : ParseAddress(range.substr(0, slash));
  const auto length = base ? base::ParseNumber<unsigned>(range.substr(slash + 1)) : std::nullopt;
  if (!length || *length > 128 || IsMapped(*base) != IsMapped(address)) {
    return false;
  }
  const unsigned bits = *length + (IsMapped(*base) ? kMappedBits : 0);
  for (unsigned i = 0; i < bits && i < 128; ++i) {
    const auto mask = static_cast<std::uint8_t>(0x80 >> (i % 8));
    if (((*base)[i / 8] ^ address[i / 8]) & mask) {
      return false;
    }
  }
  return true;
}

// Target is what a NO_PROXY entry is held against.
struct Target {
  std::string host;  // lower case, without brackets or final dot
  std::string port;
  std::optional<Address> address;
};

bool DomainMatches(const std::string& host, std::string domain) {
  if (domain.starts_with("*.")) {
    domain.erase(0, 1);
  }
  if (domain.starts_with('.')) {
    return host.size() > domain.size() && host.ends_with(domain);
  }
  return host == domain || host.ends_with("." + domain);
}

bool Exempts(const std::string& entry, const Target& target) {
  if (entry == "*") {
    return true;
  }
  if (entry.find('/') != std::string::npos) {
    return target.address && InRange(*target.address, entry);
  }
  // A bare IPv6 address has colons of its own; "host:port" and "[v6]:port" have one behind the
  // host.
  HostPort named{.host = entry, .port = ""};
  if (!ParseAddress(entry)) {
    named = SplitHostPort(entry);
  }
  if (!named.port.empty() && named.port != target.port) {
    return false;
  }
  if (const auto address = ParseAddress(named.host)) {
    return target.address == address;
  }
  return !named.host.empty() && !target.address && DomainMatches(target.host, named.host);
}

bool IsExempt(std::string_view no_proxy, const Target& target) {
  if (target.host == "localhost" || (target.address && IsLoopback(*target.address))) {
    return true;
  }
  for (const std::string& part : base::Split(no_proxy, ',')) {
    const std::string entry = base::ToLower(base::Trim(part));
    if (!entry.empty() && Exempts(entry, target)) {
      return true;
    }
  }
  return false;
}

std::string Either(const Lookup& environment, std::string_view upper, std::string_view lower) {
  std::string value = environment(upper);
  return value.empty() ? environment(lower) : value;
}

std::string Checked(const std::string& value) {
  const bool has_scheme = value.find("://") != std::string::npos;
  std::string proxy = has_scheme ? value : "http://" + value;
  const Url url = ParseUrl(proxy);
  constexpr std::array<std::string_view, 4> kSchemes = {"http", "https", "socks5", "socks5h"};
  bool known = false;
  for (const std::string_view scheme : kSchemes) {
    known = known || url.scheme == scheme;
  }
  if (!known || url.host.empty() || url.host.find(' ') != std::string::npos) {
    // The value may hold a password, so it is not shown.
    throw base::Error(base::Error::Kind::kInvalid, "invalid proxy address in the environment");
  }
  return proxy;
}

}  // namespace

std::string ProxyFor(const Lookup& environment, std::string_view url) {
  const Url target_url = ParseUrl(url);
  const bool https = target_url.scheme == "https";
  const std::string proxy = https ? Either(environment, "HTTPS_PROXY", "https_proxy")
                                  : Either(environment, "HTTP_PROXY", "http_proxy");
  if (proxy.empty()) {
    return "";
  }
  std::string checked = Checked(proxy);
  Target target{.host = base::ToLower(target_url.host), .port = target_url.port, .address = {}};
  if (target.host.ends_with('.')) {
    target.host.pop_back();
  }
  target.address = ParseAddress(target.host);
  if (target.port.empty()) {
    target.port = https ? "443" : "80";
  }
  return IsExempt(Either(environment, "NO_PROXY", "no_proxy"), target) ? "" : checked;
}

}  // namespace http
