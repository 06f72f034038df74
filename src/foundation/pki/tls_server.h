// SPDX-License-Identifier: Apache-2.0
// The TLS of a server (RFC 8446): what it shows and proves, and its connections. OpenSSL's types
// are only declared here.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ssl_ctx_st;
struct ssl_st;

namespace pki {

// TlsConnection is one of a server, over a socket that is non-blocking and that it does not own. It
// never waits. Its end tells the other side.
class TlsConnection {
 public:
  ~TlsConnection();
  TlsConnection(const TlsConnection&) = delete;
  TlsConnection& operator=(const TlsConnection&) = delete;

  // Some is how much was read or written. With nothing `wanted` is what poll(2) must wait for
  // before the next try; 0 when the other side has ended or broke a rule.
  struct Some {
    std::size_t count = 0;
    short wanted = 0;
  };
  // Read shakes hands first.
  Some Read(char* into, std::size_t size);
  // Write writes all of it or nothing; a next try has to be with the same bytes.
  Some Write(std::string_view bytes);
  // GiveUp leaves the connection without a word, in the midst of what was written.
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

// TlsServer speaks TLS 1.2 at least, without renegotiation. It shows the first certificate of a PEM
// text, with those behind it as its chain, and proves it with the key.
class TlsServer {
 public:
  // Throws base::Error(kInvalid) when there is no certificate, or no key that belongs to it.
  TlsServer(const std::string& certificate_pem, const std::string& key_pem);
  // Accept is a connection that has yet to shake hands. Throws base::Error when memory is short.
  std::unique_ptr<TlsConnection> Accept(int fd) const;

 private:
  struct FreeContext {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, FreeContext> context_;
};

}  // namespace pki
