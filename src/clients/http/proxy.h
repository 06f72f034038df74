// SPDX-License-Identifier: Apache-2.0
// Which proxy a URL goes through: the environment's rules as Go programs read them
// (golang.org/x/net/http/httpproxy, "Config" in its documentation).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace http {

// Lookup gives an environment variable's value, "" when it is not set.
using Lookup = std::function<std::string(std::string_view name)>;

// Proxy is the proxy of a request, and the settings that chose it.
struct Proxy {
  std::string url;         // "http://proxy:3128", with a password perhaps
  std::string source;      // "HTTPS_PROXY": the variable, or what else names it
  std::string exceptions;  // "NO_PROXY": the variable in force; empty: not set

  bool operator==(const Proxy&) const = default;
};

// ProxyFor returns the proxy for a request to `url`, std::nullopt for a direct connection.
//
// HTTPS_PROXY speaks for https, HTTP_PROXY for http; the lower-case names stand in where the
// upper-case ones are empty. A value without a scheme is an http proxy. localhost and loopback
// addresses never go through one. NO_PROXY is a comma list: "*" (all), an IP address, a CIDR range,
// a domain (it and its subdomains), ".domain" or "*.domain" (subdomains only); address and domain
// may carry a port. A value that is not an address is not used, which is warned of once.
// Throws base::Error(kInvalid) for a `url` that is none.
std::optional<Proxy> ProxyFor(const Lookup& environment, std::string_view url);

// WithoutUser is a proxy's URL as it is shown: without its user and password. A text that is not a
// URL is not shown at all, since a password may be anywhere in it.
std::string WithoutUser(const std::string& url);

// RequireProxy throws base::Error(kInvalid) where a proxy's URL is none that can be used: of http,
// https, socks5 or socks5h. The error calls it `what`, since it may hold a password.
void RequireProxy(std::string_view proxy, std::string_view what);

}  // namespace http
