// SPDX-License-Identifier: Apache-2.0
// HTTP requests and streams over libcurl: TLS from memory, proxies, kept-alive connections.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace http {

// Trusted CAs and our own certificate, all in PEM; no files are read.
struct Tls {
  // The only trusted CAs, for the server and for a TLS proxy. If this field is empty, only the
  // system's CAs are trusted (system_roots.h). A caller that must not trust the system's CAs checks
  // first that the field is not empty.
  std::string ca_pem;
  std::string certificate_pem;  // empty: no client certificate
  std::string key_pem;
  std::string server_name;  // empty: the URL's host
  bool skip_verify = false;
  // Overwrites the key.
  ~Tls();
};

// The default limit of an answer, in bytes, as a protection against untrusted servers. Pages of
// lists (100 nodes with all their images) are smaller than a quarter of it. Go's client has a
// similar limit for headers.
inline constexpr std::size_t kLargestBody = std::size_t{32} << 20;
inline constexpr std::size_t kLargestErrorBody = std::size_t{1} << 20;
inline constexpr std::size_t kLargestHeaders = std::size_t{1} << 20;

// Selects whether a Response reports the server's certificate.
enum class PeerCertificate { kIgnored, kReported };

// The version of HTTP. kHttp2 is for servers that require it, such as gRPC servers. For other
// servers HTTP/2 has no benefit, because the client sends one request at a time.
enum class Version { kHttp11, kHttp2 };

// One exchange with a server. libcurl measures its timeouts in real time.
struct Request {
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::chrono::milliseconds timeout{10'000};  // of the whole request; 0: no timeout
  std::chrono::milliseconds connect_timeout{10'000};
  std::stop_token stop;
  Version version = Version::kHttp11;
  // The path of the server's Unix socket; "" for a TCP connection to the URL's address. With a
  // path, the URL's host appears only in the Host header, and errors name the path.
  std::string unix_socket;
  // The proxy's URL; "" for none. If not set, the environment's HTTPS_PROXY, HTTP_PROXY and
  // NO_PROXY decide (http/proxy.h).
  std::optional<std::string> proxy;
  // A larger answer is an error (kInvalid). The body of an error status (≥ 300) is truncated
  // instead, to the smaller of this size and kLargestErrorBody.
  std::size_t largest_body = kLargestBody;
  // Requests the server's certificate in the Response.
  PeerCertificate peer_certificate = PeerCertificate::kIgnored;
  // The request fails with kTimeout if no data arrive for this time; 0 disables the limit. For
  // streams whose peer may vanish without closing the connection.
  std::chrono::milliseconds idle_timeout{0};
  // Follows redirects of GET and HEAD. If false, the redirect itself is the Response.
  bool follow_redirects = true;
};

// An answer of any status.
struct Response {
  int status = 0;
  // The headers and trailers (RFC 9110 §6.5), with names in lower case.
  std::map<std::string, std::string> headers;
  std::string body;
  // Set only if the request asks for it, and the connection is new.
  std::string peer_certificate_pem;
};

// Keeps connections alive between requests. Thread-safe.
//
// If no answer arrives, Do and Stream throw base::Error: kUnavailable (refused, unreachable, reset,
// name not found), kTimeout, kUnauthorized (certificate not trusted), or kOther. They throw
// kInvalid if the URL, certificate or key is unusable, or the peer does not speak a supported TLS
// version. They throw base::Interrupted on a stop request. The message names host and port, never a
// credential.
//
// An answer with any status is a Response, not an error. Redirects of GET and HEAD are followed
// unless the request disables this, but never from https to http. An Authorization header is sent
// only to the same host, port and scheme.
class Client {
 public:
  explicit Client(const Tls& tls = {});
  virtual ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  virtual Response Do(const Request& request);
  // Passes the pieces of the body to `on_data` as they arrive. Ends when the body ends or `on_data`
  // returns false; throws base::Interrupted on a stop request. The Response has a body only for an
  // error status (≥ 300). Propagates exceptions of `on_data`. largest_body does not apply to the
  // data for `on_data`.
  virtual Response Stream(const Request& request,
                          const std::function<bool(std::string_view)>& on_data);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
