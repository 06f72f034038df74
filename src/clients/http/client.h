// SPDX-License-Identifier: Apache-2.0
// HTTP requests and streams over libcurl: TLS from memory, proxies, kept connections.
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

// Tls says whom to trust and who we are; all PEM texts, nothing is read from files.
struct Tls {
  // The only CAs that are trusted, for the server and for a proxy that speaks TLS; empty: the
  // system's (system_roots.h), and no others. Who must not fall back to them checks before.
  std::string ca_pem;
  std::string certificate_pem;  // empty: no client certificate
  std::string key_pem;
  std::string server_name;  // empty: the URL's host
  bool skip_verify = false;
  // The key is overwritten at its end.
  ~Tls();
};

// What an answer may have at most, in bytes; a server may be anybody. Pages of lists (100 nodes
// with all their images) stay below a quarter of kLargestBody. Go's client has a like bound of
// headers.
inline constexpr std::size_t kLargestBody = std::size_t{32} << 20;
inline constexpr std::size_t kLargestErrorBody = std::size_t{1} << 20;
inline constexpr std::size_t kLargestHeaders = std::size_t{1} << 20;

// PeerCertificate is whether a Response reports the certificate that the server showed.
enum class PeerCertificate { kIgnored, kReported };

// Version of HTTP. kHttp2 is for servers that speak nothing else, as gRPC's do; the others are
// asked one request at a time, where it would gain nothing.
enum class Version { kHttp11, kHttp2 };

// Request is one exchange with a server. Its times are measured in real time, by libcurl.
struct Request {
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::chrono::milliseconds timeout{10'000};  // whole request; 0: none
  std::chrono::milliseconds connect_timeout{10'000};
  std::stop_token stop;
  Version version = Version::kHttp11;
  // The socket on which the server listens, a path; "": where the URL says. The URL's host is only
  // said to the server then, and errors name the path.
  std::string unix_socket;
  // The proxy to use; not set: as the environment's HTTPS_PROXY, HTTP_PROXY and NO_PROXY say
  // (http/proxy.h); "": none.
  std::optional<std::string> proxy;
  // An answer that is larger is an error (kInvalid); the body of an error status (≥ 300) is cut at
  // kLargestErrorBody if that is less.
  std::size_t largest_body = kLargestBody;
  // Whether the Response holds the certificate that the server showed.
  PeerCertificate peer_certificate = PeerCertificate::kIgnored;
  // How long nothing at all may come before the request fails (kTimeout); 0: for ever. For streams
  // whose other end is gone without a word.
  std::chrono::milliseconds idle_timeout{0};
};

// Response is an answer of any status.
struct Response {
  int status = 0;
  std::map<std::string, std::string> headers;  // and trailers (RFC 9110 §6.5), names in lower case
  std::string body;
  std::string peer_certificate_pem;  // if asked for, of a new connection
};

// Client keeps connections alive between requests and may be used from several threads.
// Do and Stream throw base::Error when no answer came: kUnavailable (refused, unreachable, reset,
// name not found), kTimeout, kCancelled (stop), kUnauthorized (certificate not trusted), kInvalid
// (URL, certificate or key unusable; the other side does not speak our TLS), kOther. The text names
// host and port, never a credential. An answer with any status is a Response. Redirects of GET and
// HEAD are followed, but never from https to http; an Authorization header goes along only to the
// same host, port and scheme.
class Client {
 public:
  explicit Client(const Tls& tls = {});
  virtual ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  virtual Response Do(const Request& request);
  // Stream hands the body's pieces to `on_data` as they come, until it ends, `on_data` returns
  // false or the request's stop token fires (kCancelled). The Response's body holds the text of an
  // error status (≥ 300) only. What `on_data` throws leaves Stream. largest_body does not count for
  // what goes through `on_data`.
  virtual Response Stream(const Request& request,
                          const std::function<bool(std::string_view)>& on_data);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
