// SPDX-License-Identifier: Apache-2.0
// The proxy of a URL, by the rules that Go programs apply to the environment
// (golang.org/x/net/http/httpproxy, "Config" in its documentation).
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
  std::string url;  // "http://proxy:3128", possibly with a password
  // The variable with the URL ("HTTPS_PROXY"), or another setting.
  std::string source;
  // The variable with the exceptions ("NO_PROXY"); empty if the environment was not used.
  std::string exceptions;

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

// Returns a proxy's URL for messages, without user and password. Returns no part of an invalid URL,
// because any part of it may be a password.
std::string WithoutUser(const std::string& url);

// Checks a proxy's URL. Throws base::Error(kInvalid) unless the URL is usable: http, https, socks5
// or socks5h. The error describes the URL by `what` instead of quoting it, because the URL may
// contain a password.
void RequireProxy(std::string_view proxy, std::string_view what);

}  // namespace http
