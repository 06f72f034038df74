// One connection of the server, plain or TLS (RFC 8446). For the files of this room only.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/server.h"

namespace http {

// Stream reads and writes until its patience is over, however little comes at a time.
class Stream {
 public:
  virtual ~Stream() = default;
  // Read returns the number of bytes read; 0 when the other side has ended, is too slow or broke a
  // rule.
  virtual std::size_t Read(char* into, std::size_t size) = 0;
  // Write is false when not all could be written.
  virtual bool Write(std::string_view bytes) = 0;
};

// Patience is how long one connection may take in each of its parts: handshake, request, reply.
inline constexpr std::chrono::seconds kPatience{5};

// NewPlainStream does not own the socket, which is set to be non-blocking.
std::unique_ptr<Stream> NewPlainStream(int fd);

// TlsGate turns sockets into TLS connections, with the certificate that `identity` has by then.
class TlsGate {
 public:
  explicit TlsGate(std::function<ServerIdentity()> identity);
  ~TlsGate();
  TlsGate(const TlsGate&) = delete;
  TlsGate& operator=(const TlsGate&) = delete;

  // Accept shakes hands; null when the other side does not. Throws base::Error when the identity
  // cannot be used and there was none before.
  std::unique_ptr<Stream> Accept(int fd);
  // Check throws base::Error when the identity cannot be used.
  void Check();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
