// SPDX-License-Identifier: Apache-2.0
// Errors of failed requests, naming the culprit.
#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>

#include "http/proxy.h"

namespace http {

// The route of a request to its server.
struct Route {
  std::string server;  // "10.0.0.1:6443", or the path of a socket
  std::string host;    // "10.0.0.1", as in NO_PROXY
  std::optional<Proxy> proxy;
  bool tunnel = false;  // the proxy is used with CONNECT
};

// Returns the route for messages: the server, and the proxy without user and password.
std::string Shown(const Route& route);

// Throws base::Error(kUnavailable) if the route has a proxy, and the answer's status says that the
// proxy requires a login. Only a proxy that forwards plain HTTP requests answers like this.
void RequireUserKnown(long status, const Route& route);

// Throws base::Error for a request that ended with `code`. `code` decides the kind: kUnavailable
// for a broken or refused connection, kTimeout, kUnauthorized for certificates, kInvalid for a URL
// or file. `message` is libcurl's message. If the route has a proxy, the error names the proxy, its
// setting and the remedy.
[[noreturn]] void ThrowFailure(CURL* easy, CURLcode code, const std::string& message,
                               const Route& route);

}  // namespace http
