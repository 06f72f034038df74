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

// ProxyFor returns the proxy for a request to `url`, or std::nullopt for a direct connection.
//
// HTTPS_PROXY applies to https, HTTP_PROXY to http. A lower-case variable applies if the upper-case
// one is empty. A value without a scheme is an http proxy. An invalid value is ignored with one
// warning. Requests to localhost and loopback addresses never use a proxy.
//
// NO_PROXY is a comma-separated list. An entry is "*" (all), an IP address, a CIDR range, a domain
// (with its subdomains), or ".domain" or "*.domain" (subdomains only). Addresses and domains may
// have a port.
//
// Throws base::Error(kInvalid) for an invalid `url`.
std::optional<Proxy> ProxyFor(const Lookup& environment, std::string_view url);

// Returns a proxy's URL for messages, without user and password. Leaves out an invalid URL
// entirely, since any part of it may be a password.
std::string WithoutUser(const std::string& url);

// Throws base::Error(kInvalid) unless a proxy's URL is usable: http, https, socks5 or socks5h. The
// error describes the URL by `what` instead of quoting it, since the URL may contain a password.
void RequireProxy(std::string_view proxy, std::string_view what);

}  // namespace http
