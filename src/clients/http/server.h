// SPDX-License-Identifier: Apache-2.0
// A small HTTP/1.1 server for metrics and health: GET only, one request a connection, plain or by
// TLS.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/clock.h"

namespace http {

// An answer; the server adds its length and the end of the connection.
struct ServerReply {
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

// A GET or HEAD request for a handler.
struct ServerRequest {
  std::string path;                         // without its query
  std::optional<std::string> bearer_token;  // of the line "Authorization: Bearer …" (RFC 6750)
};

// A server's certificate, its chain, and the key.
struct ServerIdentity {
  std::string certificate_pem;
  std::string key_pem;
  bool operator==(const ServerIdentity&) const = default;
};

// The clock, which measures clients' timeouts, must outlive the server.
struct ServerOptions {
  host::Clock& clock;
  std::string host;  // an IP address; "" for all addresses of both families
  int port = 0;      // 0: any free one
  // If set, the server accepts only TLS (1.2 or newer). The server calls the function for each
  // connection, so that replaced files take effect. If the function throws base::Error of any kind,
  // the server uses the previous identity.
  std::function<ServerIdentity()> identity = {};
  // Paths with threads of their own, so that other requests do not delay them.
  std::vector<std::string> probes = {};
};

// Answers requests on its own threads until it is destroyed. It disconnects a client that takes
// longer than 5 s for its request or for the reply, or sends more than a few kilobytes. Silent
// connections never delay others, however many there are. At most four requests from one address
// wait or are handled at a time, not counting probes; further connections are closed.
class Server {
 public:
  // `handle` is called concurrently from several threads.
  using Handle = std::function<ServerReply(const ServerRequest& request)>;

  // Throws base::Error(kInvalid) if the host is not an IP address or the identity is unusable.
  // Throws base::Error(kOther) if the kernel refuses to listen.
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
