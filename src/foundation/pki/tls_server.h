// SPDX-License-Identifier: Apache-2.0
// TLS on a server (RFC 8446): its certificate and its connections. OpenSSL's types are only
// declared here.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ssl_ctx_st;
struct ssl_st;

namespace pki {

// A server's connection over a non-blocking socket, which the caller owns. Calls never block. The
// destructor notifies the peer.
class TlsConnection {
 public:
  ~TlsConnection();
  TlsConnection(const TlsConnection&) = delete;
  TlsConnection& operator=(const TlsConnection&) = delete;

  // The result of a read or write. `count` is the number of bytes. If `count` is 0, `wanted` has
  // the poll(2) events to wait for before the next attempt. If both are 0, the peer has closed the
  // connection or violated the protocol.
  struct Some {
    std::size_t count = 0;
    short wanted = 0;
  };
  // Returns the next bytes. The first call starts the handshake.
  Some Read(char* into, std::size_t size);
  // Writes all of `bytes` or none. If none were written, repeat the call with the same bytes.
  Some Write(std::string_view bytes);
  // Abandons the connection in the middle of a write, without notifying the peer.
  void GiveUp() { broken_ = true; }

 private:
  friend class TlsServer;
  struct FreeSsl {
    void operator()(ssl_st* ssl) const;
  };
  explicit TlsConnection(ssl_st* ssl);
  Some After(int result);

  std::unique_ptr<ssl_st, FreeSsl> ssl_;
  bool broken_ = false;
};

// Accepts TLS 1.2 or newer, without renegotiation. Sends the first certificate of a PEM file,
// followed by the other certificates of the file as its chain. Proves possession of the key.
class TlsServer {
 public:
  // Throws base::Error(kInvalid) without a certificate, or without a key that matches it.
  TlsServer(const std::string& certificate_pem, const std::string& key_pem);
  // Returns a connection before its handshake. Throws base::Error(kOther) without memory.
  std::unique_ptr<TlsConnection> Accept(int fd) const;

 private:
  struct FreeContext {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, FreeContext> context_;
};

}  // namespace pki
