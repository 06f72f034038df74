// SPDX-License-Identifier: Apache-2.0
// One connection of the server, plain or TLS (RFC 8446). For the files of this room only.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "host/clock.h"
#include "http/server.h"

namespace http {

// Stream does not own its socket.
class Stream {
 public:
  virtual ~Stream() = default;

  // Some is what there was to read. With no bytes `wanted` is what poll(2) must wait for before the
  // next try; 0 when the other side has ended or broke a rule.
  struct Some {
    std::size_t count = 0;
    short wanted = 0;
  };
  // Read never waits. By TLS it shakes hands first.
  virtual Some Read(char* into, std::size_t size) = 0;
  // Write waits, kPatience all in all; false when not all could be written by then.
  virtual bool Write(std::string_view bytes) = 0;
};

// Patience is how long a client may take to say what it wants (by TLS with the handshake), however
// little comes at a time, and again to take the reply.
inline constexpr std::chrono::seconds kPatience{5};

// NewPlainStream sets the socket to be non-blocking, and so does TlsGate. `clock` outlives it.
std::unique_ptr<Stream> NewPlainStream(int fd, host::Clock& clock);

// TlsGate turns sockets into TLS connections, with the certificate that `identity` has by then.
class TlsGate {
 public:
  explicit TlsGate(std::function<ServerIdentity()> identity);
  ~TlsGate();
  TlsGate(const TlsGate&) = delete;
  TlsGate& operator=(const TlsGate&) = delete;

  // Accept is a connection that has yet to shake hands. Throws base::Error when the identity cannot
  // be used and there was none before. `clock` outlives it.
  std::unique_ptr<Stream> Accept(int fd, host::Clock& clock);
  // Check throws base::Error when the identity cannot be used.
  void Check();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
