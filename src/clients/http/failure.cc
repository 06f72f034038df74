// SPDX-License-Identifier: Apache-2.0
#include "http/failure.h"

#include <fmt/core.h>

#include <cstring>

#include "base/error.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace http {
namespace {

using Kind = base::Error::Kind;

constexpr long kProxyWantsUser = 407;  // RFC 9110 §15.5.8

// An error of libcurl in our words. The format argument {} is the server. `detail` adds libcurl's
// own message.
struct Failure {
  CURLcode code;
  Kind kind;
  const char* words;
  enum class Detail { kNone, kSystem, kLibrary } detail;
};

constexpr Failure kFailures[] = {
    {CURLE_COULDNT_CONNECT, Kind::kUnavailable, "cannot connect to {}", Failure::Detail::kSystem},
    {CURLE_COULDNT_RESOLVE_HOST, Kind::kUnavailable, "no address found for the name of {}",
     Failure::Detail::kNone},
    {CURLE_COULDNT_RESOLVE_PROXY, Kind::kUnavailable, "no address found for the name of {}",
     Failure::Detail::kNone},
    {CURLE_SEND_ERROR, Kind::kUnavailable, "the connection broke while sending to {}",
     Failure::Detail::kSystem},
    {CURLE_RECV_ERROR, Kind::kUnavailable, "the connection broke while reading from {}",
     Failure::Detail::kLibrary},
    {CURLE_GOT_NOTHING, Kind::kUnavailable, "{} closed the connection without an answer",
     Failure::Detail::kNone},
    {CURLE_PARTIAL_FILE, Kind::kUnavailable, "the answer of {} was cut short",
     Failure::Detail::kNone},
    {CURLE_SSL_CONNECT_ERROR, Kind::kUnavailable, "no TLS connection with {}",
     Failure::Detail::kLibrary},
    {CURLE_OPERATION_TIMEDOUT, Kind::kTimeout, "no answer in time from {}", Failure::Detail::kNone},
    {CURLE_HTTP2, Kind::kUnavailable, "the connection broke while reading from {}",
     Failure::Detail::kLibrary},
    {CURLE_HTTP2_STREAM, Kind::kUnavailable, "the connection broke while reading from {}",
     Failure::Detail::kLibrary},
    {CURLE_PEER_FAILED_VERIFICATION, Kind::kUnauthorized, "the certificate of {} is not trusted",
     Failure::Detail::kLibrary},
    {CURLE_URL_MALFORMAT, Kind::kInvalid, "this is not a usable URL: {}", Failure::Detail::kNone},
    {CURLE_UNSUPPORTED_PROTOCOL, Kind::kInvalid,
     "{}: only http and https are supported, and no redirect from https to http",
     Failure::Detail::kNone},
    {CURLE_SSL_CERTPROBLEM, Kind::kInvalid, "client certificate or key unusable for {}",
     Failure::Detail::kLibrary},
    {CURLE_SSL_CACERT_BADFILE, Kind::kInvalid, "CA certificate unusable for {}",
     Failure::Detail::kLibrary},
    {CURLE_TOO_MANY_REDIRECTS, Kind::kOther, "too many redirects from {}", Failure::Detail::kNone},
};

// A permanent TLS failure, identified by OpenSSL's reason.
struct Refusal {
  std::string_view detail;
  const char* words;
  Kind kind = Kind::kInvalid;
};

constexpr Refusal kRefusals[] = {
    {"wrong version number", "{} does not speak TLS (is it a plain HTTP port?)"},
    {"packet length too long", "{} does not speak TLS"},
    {"unsupported protocol", "{} does not speak TLS 1.2 or newer"},
    {"alert protocol version", "{} does not speak a version of TLS that is supported here"},
    {"handshake failure", "no way to encrypt could be agreed on with {}"},
    {"certificate required", "{} requires a client certificate", Kind::kUnauthorized},
    {"alert unknown ca", "{} does not accept our client certificate", Kind::kUnauthorized},
    {"alert bad certificate", "{} does not accept our client certificate", Kind::kUnauthorized},
    {"alert certificate expired", "{} does not accept our client certificate", Kind::kUnauthorized},
    {"alert certificate unknown", "{} does not accept our client certificate", Kind::kUnauthorized},
};

std::string DetailText(CURL* easy, const std::string& message, Failure::Detail detail) {
  if (detail == Failure::Detail::kNone) {
    return "";
  }
  long number = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
  if (detail == Failure::Detail::kSystem && number != 0) {
    return base::ToLower(std::strerror(static_cast<int>(number)));
  }
  return message;
}

std::string ShownProxy(const Proxy& proxy) {
  return fmt::format("the proxy {} ({})", WithoutUser(proxy.url), proxy.source);
}

// Returns true if the request ended before the proxy forwarded it to the server. For a SOCKS proxy,
// or for plain HTTP, detects only a proxy that cannot be reached.
bool IsAtProxy(CURL* easy, CURLcode code, const Route& route) {
  if (code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT) {
    return true;
  }
  long status = 0;
  long connections = 0;
  curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
  curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connections);
  const bool asked = route.tunnel && connections != 0 && route.proxy->url.starts_with("http");
  return asked && (status < 200 || status >= 300);
}

// Returns the remedy for a proxy that does not forward requests to the server.
std::string Remedy(const Route& route) {
  if (route.proxy->exceptions.empty()) {
    return fmt::format("correct or remove {} in the kubeconfig file if no proxy is needed",
                       route.proxy->source);
  }
  return fmt::format("add {} to {} if no proxy is needed", route.host, route.proxy->exceptions);
}

// Returns the error for a status with which a proxy refuses to connect to the server.
base::Error RefusalBy(long status, const Route& route) {
  const char* cause = status == kProxyWantsUser ? " (Proxy Authentication Required): its user or "
                                                  "password is missing or wrong"
                                                : "";
  return {Kind::kUnavailable,
          fmt::format("{} does not lead to {}, it answers with status {}{}; {}",
                      ShownProxy(*route.proxy), route.server, status, cause, Remedy(route))};
}

}  // namespace

std::string Shown(const Route& route) {
  return route.proxy ? fmt::format("{} through {}", route.server, ShownProxy(*route.proxy))
                     : route.server;
}

void RequireUserKnown(long status, const Route& route) {
  if (route.proxy && status == kProxyWantsUser) {
    throw RefusalBy(status, route);
  }
}

void ThrowFailure(CURL* easy, CURLcode code, const std::string& message, const Route& route) {
  Failure failure{code, Kind::kOther, "the request to {} failed", Failure::Detail::kLibrary};
  for (const Failure& row : kFailures) {
    if (row.code == code) {
      failure = row;
    }
  }
  for (const Refusal& row : kRefusals) {
    if (message.contains(row.detail)) {
      failure = {code, row.kind, row.words, Failure::Detail::kLibrary};
    }
  }
  std::string where = Shown(route);
  if (route.proxy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
    if (status >= 300) {
      throw RefusalBy(status, route);
    }
    if (IsAtProxy(easy, code, route)) {
      where = fmt::format("{}, which leads to {}", ShownProxy(*route.proxy), route.server);
    }
  }
  std::string text = fmt::format(fmt::runtime(failure.words), where);
  std::string detail = DetailText(easy, message, failure.detail);
  if (detail.empty() && failure.detail != Failure::Detail::kNone) {
    detail = curl_easy_strerror(code);
  }
  if (!detail.empty()) {
    text += ": " + base::Visible(detail);  // libcurl quotes the peer's message
  }
  throw base::Error(failure.kind, route.proxy ? fmt::format("{}; {}", text, Remedy(route)) : text);
}

}  // namespace http
