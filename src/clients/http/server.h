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

// ServerReply is an answer; its length and the end of the connection are told by the server.
struct ServerReply {
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

// ServerRequest is what a handler sees of a GET or HEAD.
struct ServerRequest {
  std::string path;                         // without its query
  std::optional<std::string> bearer_token;  // of the line "Authorization: Bearer …" (RFC 6750)
};

// ServerIdentity is what a server shows: its certificate, the chain behind it, and the key.
struct ServerIdentity {
  std::string certificate_pem;
  std::string key_pem;
  bool operator==(const ServerIdentity&) const = default;
};

// ServerOptions: the clock, by which clients' patience is measured, outlives the server.
struct ServerOptions {
  host::Clock& clock;
  std::string host;  // an IP address; "" for all addresses of both families
  int port = 0;      // 0: any free one
  // When set, only TLS (1.2 at least) is spoken. It is asked for each connection, so that files
  // which are replaced count from then on; while it throws base::Error, the one before is shown.
  std::function<ServerIdentity()> identity = {};
  // Paths that have threads of their own, so that no other request makes them wait.
  std::vector<std::string> probes = {};
};

// Server answers from its own threads until it is destroyed. A client that takes longer than 5 s to
// say what it wants, or to take the reply, or says more than a few kilobytes, is hung up on.
// However many connect and say nothing, others are answered; of one address four requests at most
// wait for an answer, probes aside.
class Server {
 public:
  // `handle` is called from several threads at once.
  using Handle = std::function<ServerReply(const ServerRequest& request)>;

  // Throws base::Error when the address cannot be listened on, or the identity cannot be used.
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
