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
  std::string ca_pem;           // empty: the system's CA bundle
  std::string certificate_pem;  // empty: no client certificate
  std::string key_pem;
  std::string server_name;  // empty: the URL's host
  bool skip_verify = false;
};

enum class PeerCertificate { kIgnored, kReported };

struct Request {
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::chrono::milliseconds timeout{10'000};  // whole request; 0: none
  std::chrono::milliseconds connect_timeout{10'000};
  std::stop_token stop;
  // The proxy to use; not set: as the environment's HTTPS_PROXY, HTTP_PROXY and NO_PROXY say
  // (http/proxy.h); "": none.
  std::optional<std::string> proxy;
  // Whether the Response shall hold the certificate that the server showed.
  PeerCertificate peer_certificate = PeerCertificate::kIgnored;
  // The largest body that Do takes, in bytes; a larger one is kInvalid.
  std::size_t most_bytes = std::size_t{64} << 20U;
  // How long nothing at all may come before the request fails (kTimeout); 0: for ever. For streams
  // whose other end is gone without a word.
  std::chrono::milliseconds idle_timeout{0};
};

struct Response {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string peer_certificate_pem;  // if asked for, of a new connection
};

// ParseDate reads the time of a Date header (RFC 9110 §5.6.7); nothing when it is none.
std::optional<std::chrono::sys_seconds> ParseDate(const std::string& text);

// Client keeps connections alive between requests and may be used from several threads.
// Do and Stream throw base::Error when no answer came: kUnavailable (refused, unreachable, reset,
// name not found), kTimeout, kCancelled (stop), kUnauthorized (certificate not trusted), kInvalid
// (URL, certificate or key unusable; the other side does not speak our TLS), kOther. The text names
// host and port, never a credential. An answer with any status is a Response. Redirects of GET and
// HEAD are followed, but never from https to http.
class Client {
 public:
  explicit Client(Tls tls = {});
  virtual ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  virtual Response Do(const Request& request);
  // Stream hands the body's pieces to `on_data` as they come, until it ends, `on_data` returns
  // false or the request's stop token fires (kCancelled). The Response's body holds the text of an
  // error status (≥ 300) only. What `on_data` throws leaves Stream.
  virtual Response Stream(const Request& request,
                          const std::function<bool(std::string_view)>& on_data);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
