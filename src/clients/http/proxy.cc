// SPDX-License-Identifier: Apache-2.0
#include "http/proxy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "net/cidr.h"
#include "net/host_port.h"
#include "net/ip_address.h"
#include "net/url.h"

namespace http {
namespace {

// The target that NO_PROXY entries are matched with.
struct Target {
  std::string host;  // lower case, without brackets or final dot
  std::string port;
  std::optional<net::IpAddress> address;
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
    const auto range = net::Cidr::Parse(entry);
    return target.address && range && range->Contains(*target.address);
  }
  const net::HostPort named = net::HostPort::Parse(entry).value_or(net::HostPort{entry, ""});
  if (!named.port.empty() && named.port != target.port) {
    return false;
  }
  if (const auto address = net::IpAddress::Parse(named.host)) {
    return target.address == address;
  }
  return !named.host.empty() && !target.address && DomainMatches(target.host, named.host);
}

bool IsExempt(std::string_view no_proxy, const Target& target) {
  if (target.host == "localhost" || (target.address && target.address->IsLoopback())) {
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

// An environment variable in its upper-case or lower-case form. The upper-case form has priority,
// and messages recommend it if neither is set.
struct Setting {
  std::string name;
  std::string value;
};

Setting Either(const Lookup& environment, std::string_view upper) {
  const std::string lower = base::ToLower(upper);
  std::string value = environment(upper);
  if (std::string other = value.empty() ? environment(lower) : ""; !other.empty()) {
    return {lower, std::move(other)};
  }
  return {std::string(upper), std::move(value)};
}

// Returns the URL of the proxy in a variable's value; std::nullopt for an invalid value.
std::optional<std::string> AddressOf(const std::string& value) {
  const bool has_scheme = value.find("://") != std::string::npos;
  std::string proxy = has_scheme ? value : "http://" + value;
  const auto url = net::Url::Parse(proxy);
  return url && !url->host.empty() ? std::optional(std::move(proxy)) : std::nullopt;
}

// Does not print the variable's value, because it may contain a password.
void WarnOnce(std::string_view variable) {
  static std::once_flag warned;
  std::call_once(warned, [&] {
    base::LogWarning("{} is not the address of a proxy, so no proxy is used", variable);
  });
}

}  // namespace

std::optional<Proxy> ProxyFor(const Lookup& environment, std::string_view url) {
  const auto target_url = net::Url::Parse(url);
  if (!target_url) {
    throw base::Error(base::Error::Kind::kInvalid, target_url.error());
  }
  const bool https = target_url->scheme == "https";
  const Setting proxy = Either(environment, https ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy.value.empty()) {
    return std::nullopt;
  }
  Target target{.host = base::ToLower(target_url->host), .port = target_url->port, .address = {}};
  if (target.host.ends_with('.')) {
    target.host.pop_back();
  }
  target.address = net::IpAddress::Parse(target.host);
  if (target.port.empty()) {
    target.port = https ? "443" : "80";
  }
  const Setting exceptions = Either(environment, "NO_PROXY");
  if (IsExempt(exceptions.value, target)) {
    return std::nullopt;
  }
  std::optional<std::string> address = AddressOf(proxy.value);
  if (!address) {
    WarnOnce(proxy.name);
    return std::nullopt;
  }
  return Proxy{.url = *std::move(address), .source = proxy.name, .exceptions = exceptions.name};
}

std::string WithoutUser(const std::string& url) {
  constexpr std::string_view kBeforeUser = "://";
  const std::size_t scheme = url.find(kBeforeUser);
  const bool relative = scheme == std::string::npos;
  const auto read = net::Url::Parse(relative ? "http://" + url : url);
  if (!read || read->host.empty()) {
    return "(not shown: it is not a URL)";
  }
  std::string shown = url;
  if (read->user) {
    shown.erase(relative ? 0 : scheme + kBeforeUser.size(), read->user->size() + 1);
  }
  return shown;
}

void RequireProxy(std::string_view proxy, std::string_view what) {
  constexpr std::array<std::string_view, 4> kSchemes = {"http", "https", "socks5", "socks5h"};
  const auto url = net::Url::Parse(proxy);
  if (!url || url->host.empty() || !std::ranges::contains(kSchemes, url->scheme)) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} is not a URL of a proxy, http://host:port or the like with "
                                  "https or socks5",
                                  what));
  }
}

}  // namespace http
