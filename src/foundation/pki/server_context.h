// SPDX-License-Identifier: Apache-2.0
// What a TLS server shows and proves. OpenSSL's type is only declared here: the connections
// themselves are those of the room `http`.
#pragma once

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace pki {

// FreeSslContext is SSL_CTX_free.
struct FreeSslContext {
  void operator()(ssl_ctx_st* context) const;
};
using SslContextPtr = std::unique_ptr<ssl_ctx_st, FreeSslContext>;

// NewServerContext is for connections by TLS 1.2 at least, without renegotiation. It shows the
// first certificate of the PEM text, with those behind it as its chain, and proves it with the key.
// Throws base::Error(kInvalid) when there is no certificate, or no key that belongs to it.
SslContextPtr NewServerContext(const std::string& certificate_pem, const std::string& key_pem);

}  // namespace pki
