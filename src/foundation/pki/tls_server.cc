// SPDX-License-Identifier: Apache-2.0
#include "pki/tls_server.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <string_view>
#include <vector>

#include "pki/certificate.h"
#include "pki/key.h"
#include "pki/openssl.h"

namespace pki {
namespace {

constexpr std::string_view kWhose = "the certificate and key of the server";

void UseCertificates(SSL_CTX* context, const std::string& pem) {
  const std::vector<Certificate> chain =
      base::WithContext(kWhose, [&] { return Certificate::ChainFromPem(pem); });
  if (SSL_CTX_use_certificate(context, chain.front().impl().x509.get()) != 1) {
    FailOpenSsl(base::Error::Kind::kInvalid, kWhose);
  }
  for (std::size_t i = 1; i < chain.size(); ++i) {
    Check(SSL_CTX_add1_chain_cert(context, chain[i].impl().x509.get()) == 1, kWhose);
  }
}

void UseKey(SSL_CTX* context, const std::string& pem) {
  const PrivateKey key = base::WithContext(kWhose, [&] { return PrivateKey::FromPem(pem); });
  if (SSL_CTX_use_PrivateKey(context, key.impl().key.get()) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    FailOpenSsl(base::Error::Kind::kInvalid, "the server's key does not belong to its certificate");
  }
}

}  // namespace

void TlsConnection::FreeSsl::operator()(ssl_st* ssl) const { SSL_free(ssl); }

TlsConnection::TlsConnection(ssl_st* ssl) : ssl_(ssl) {}

TlsConnection::~TlsConnection() {
  if (!broken_ && SSL_is_init_finished(ssl_.get()) == 1) {
    SSL_shutdown(ssl_.get());  // notifies the peer, without waiting
  }
  ERR_clear_error();
}

TlsConnection::Some TlsConnection::Read(char* into, std::size_t size) {
  ERR_clear_error();
  return After(SSL_read(ssl_.get(), into, static_cast<int>(size)));
}

TlsConnection::Some TlsConnection::Write(std::string_view bytes) {
  ERR_clear_error();
  return After(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())));
}

TlsConnection::Some TlsConnection::After(int result) {
  if (result > 0) {
    return {.count = static_cast<std::size_t>(result)};
  }
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {.wanted = POLLIN};
    case SSL_ERROR_WANT_WRITE:
      return {.wanted = POLLOUT};
    case SSL_ERROR_ZERO_RETURN:
      return {};
    default:
      broken_ = true;
      return {};
  }
}

void TlsServer::FreeContext::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

TlsServer::TlsServer(const std::string& certificate_pem, const std::string& key_pem)
    : context_(SSL_CTX_new(TLS_server_method())) {
  Check(context_ != nullptr, "cannot make a TLS context");
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context_.get(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context_.get(), SSL_MODE_RELEASE_BUFFERS);
  UseCertificates(context_.get(), certificate_pem);
  UseKey(context_.get(), key_pem);
}

std::unique_ptr<TlsConnection> TlsServer::Accept(int fd) const {
  ssl_st* ssl = SSL_new(context_.get());
  Check(ssl != nullptr, "cannot make a TLS connection");
  std::unique_ptr<TlsConnection> connection(new TlsConnection(ssl));
  SSL_set_fd(ssl, fd);
  SSL_set_accept_state(ssl);
  return connection;
}

}  // namespace pki
