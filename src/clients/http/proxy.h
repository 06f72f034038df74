// SPDX-License-Identifier: Apache-2.0
// The proxy of a URL, by the environment's rules of Go programs (golang.org/x/net/http/httpproxy,
// "Config" in its documentation).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace http {

// Returns an environment variable's value, "" if it is not set.
using Lookup = std::function<std::string(std::string_view name)>;

// The proxy of a request, and the settings that chose it.
struct Proxy {
  std::string url;         // "http://proxy:3128", possibly with a password
  std::string source;      // "HTTPS_PROXY": the variable, or another setting
  std::string exceptions;  // "NO_PROXY": the effective variable; empty: not set

  bool operator==(const Proxy&) const = default;
};

// ProxyFor returns the proxy for a request to `url`, std::nullopt for a direct connection.
//
// HTTPS_PROXY applies to https, HTTP_PROXY to http; the lower-case names are used if the upper-case
// ones are empty. A value without a scheme is an http proxy. Requests to localhost and loopback
// addresses never use a proxy. NO_PROXY is a comma list: "*" (all), an IP address, a CIDR range, a
// domain (it and its subdomains), ".domain" or "*.domain" (subdomains only); address and domain may
// have a port. An invalid value is ignored with one warning. Throws base::Error(kInvalid) for an
// invalid `url`.
std::optional<Proxy> ProxyFor(const Lookup& environment, std::string_view url);

// Returns a proxy's URL for messages: without its user and password. An invalid URL is not printed
// at all, since a password may be anywhere in it.
std::string WithoutUser(const std::string& url);

// Throws base::Error(kInvalid) unless a proxy's URL is usable: http, https, socks5 or socks5h. The
// error calls it `what`, since it may contain a password.
void RequireProxy(std::string_view proxy, std::string_view what);

}  // namespace http
