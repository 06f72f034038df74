// A small HTTP/1.1 server for metrics and health: GET only, one request a connection.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace http {

struct ServerReply {
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

struct ServerOptions {
  std::string host;  // an IP address; "" for all addresses of both families
  int port = 0;      // 0: any free one
};

// Server answers from its own threads until it is destroyed. A client that is slow, or sends more
// than a few kilobytes, is hung up on.
class Server {
 public:
  // `handle` gets the path without its query, from several threads at once.
  using Handle = std::function<ServerReply(const std::string& path)>;

  // Throws base::Error when the address cannot be listened on.
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
