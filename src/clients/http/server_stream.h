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

// A stream over a socket, which it does not own.
class Stream {
 public:
  virtual ~Stream() = default;

  // The result of a read. `count` is the number of bytes. If `count` is 0, `wanted` has the poll(2)
  // events to wait for before the next attempt. If both are 0, the peer has closed the connection
  // or violated the protocol.
  struct Some {
    std::size_t count = 0;
    short wanted = 0;
  };
  // Reads without blocking. With TLS, performs the handshake first.
  virtual Some Read(char* into, std::size_t size) = 0;
  // Writes all bytes. Blocks for kPatience in total; returns false if bytes are left then.
  virtual bool Write(std::string_view bytes) = 0;
};

// The timeout for a client's whole request, including the TLS handshake. The reply has the same
// timeout, counted separately.
inline constexpr std::chrono::seconds kPatience{5};

// Returns a plain stream over the socket, which becomes non-blocking. `clock` must outlive the
// stream.
std::unique_ptr<Stream> NewPlainStream(int fd, host::Clock& clock);

// Turns sockets into TLS connections, with the current certificate of `identity`.
class TlsGate {
 public:
  explicit TlsGate(std::function<ServerIdentity()> identity);
  ~TlsGate();
  TlsGate(const TlsGate&) = delete;
  TlsGate& operator=(const TlsGate&) = delete;

  // Returns a connection on which the handshake has not begun. Throws base::Error(kInvalid) if
  // neither the current nor the previous identity is usable. `clock` must outlive the connection.
  std::unique_ptr<Stream> Accept(int fd, host::Clock& clock);
  // Checks the identity. Throws base::Error(kInvalid) if it is unusable.
  void Check();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
