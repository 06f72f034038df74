// SPDX-License-Identifier: Apache-2.0
// One connection of the server, plain or TLS (RFC 8446). Internal to this library.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "host/clock.h"
#include "http/server.h"

namespace http {

// Does not own its socket.
class Stream {
 public:
  virtual ~Stream() = default;

  // How much was read. For 0 bytes, `wanted` has the poll(2) events before the next attempt; 0 if
  // the peer has ended the connection or violated the protocol.
  struct Some {
    std::size_t count = 0;
    short wanted = 0;
  };
  // Never blocks. With TLS it performs the handshake first.
  virtual Some Read(char* into, std::size_t size) = 0;
  // Blocks for kPatience in total; returns false if not all was written by then.
  virtual bool Write(std::string_view bytes) = 0;
};

// The timeout for a client's request (with the TLS handshake), however small its pieces, and again
// for the reply.
inline constexpr std::chrono::seconds kPatience{5};

// Makes the socket non-blocking, and so does TlsGate. `clock` must outlive it.
std::unique_ptr<Stream> NewPlainStream(int fd, host::Clock& clock);

// Turns sockets into TLS connections, with the current certificate of `identity`.
class TlsGate {
 public:
  explicit TlsGate(std::function<ServerIdentity()> identity);
  ~TlsGate();
  TlsGate(const TlsGate&) = delete;
  TlsGate& operator=(const TlsGate&) = delete;

  // Returns a connection before its handshake. Throws base::Error(kInvalid) without a usable
  // identity, old or new. `clock` must outlive it.
  std::unique_ptr<Stream> Accept(int fd, host::Clock& clock);
  // Throws base::Error(kInvalid) if the identity is unusable.
  void Check();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
