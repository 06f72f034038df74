// SPDX-License-Identifier: Apache-2.0
// A small HTTP/1.1 server: GET, and POST if the options allow it, one request per connection, plain
// or by TLS.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/clock.h"

namespace http {

// An answer without the headers Content-Length and "Connection: close", which the server adds.
struct ServerReply {
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

// A GET, HEAD or POST request for a handler.
struct ServerRequest {
  std::string path;                         // without its query
  std::optional<std::string> bearer_token;  // of the line "Authorization: Bearer …" (RFC 6750)
  std::optional<std::string> body = {};     // of a POST; std::nullopt for other methods
};

// A server's certificate, its chain, and the key.
struct ServerIdentity {
  std::string certificate_pem;
  std::string key_pem;
  bool operator==(const ServerIdentity&) const = default;
};

// The options of a Server. `clock` measures the timeouts of clients, and must outlive the server.
struct ServerOptions {
  host::Clock& clock;
  std::string host;  // an IP address; "" for all addresses, IPv4 and IPv6
  int port = 0;      // 0: any free port
  // If set, the server accepts only TLS (1.2 or newer). The server calls the function for each
  // connection, so that replaced files take effect. If the function throws base::Error of any kind,
  // the server uses the previous identity.
  std::function<ServerIdentity()> identity = {};
  // Paths with threads of their own, so that other requests do not delay them.
  std::vector<std::string> probes = {};
  // The maximum size of the body of a POST, in bytes; 0: only GET and HEAD are answered.
  std::size_t largest_body = 0;
  // The maximum number of requests from one address that wait or are handled, not counting probes.
  std::size_t most_of_one = 4;
};

// Answers requests on its own threads until it is destroyed. It disconnects a client that takes
// longer than 5 s for its request or for the reply. It also disconnects a client that sends more
// than a few kilobytes and the allowed body. Silent
// connections never delay others, however many there are. If more than ServerOptions::most_of_one
// requests come from one address at a time, the further connections are closed.
class Server {
 public:
  // `handle` is called concurrently from several threads.
  using Handle = std::function<ServerReply(const ServerRequest& request)>;

  // Starts the server. Throws base::Error(kInvalid) if the host is not an IP address or the
  // identity is unusable. Throws base::Error(kOther) if the kernel refuses to listen.
  Server(const ServerOptions& options, Handle handle);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
