// SPDX-License-Identifier: Apache-2.0
// Requests that were not answered, in words that name who is to blame.
#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>

#include "http/proxy.h"

namespace http {

// Route is the way of a request to its server.
struct Route {
  std::string server;  // "10.0.0.1:6443", or the path of a socket
  std::string host;    // "10.0.0.1", as NO_PROXY names it
  std::optional<Proxy> proxy;
  bool tunnel = false;  // the proxy is asked by CONNECT
};

// Shown is the route for messages: the server, and the proxy without its user.
std::string Shown(const Route& route);

// RequireUserKnown throws base::Error(kUnavailable) for the status of an answer by which a proxy
// asks for a user, as one of plain HTTP does.
void RequireUserKnown(long status, const Route& route);

// ThrowFailure throws base::Error for a request that ended with `code`; `message` is libcurl's. The
// error names the proxy, the setting that chose it and what helps, where there is a proxy.
[[noreturn]] void ThrowFailure(CURL* easy, CURLcode code, const std::string& message,
                               const Route& route);

}  // namespace http
