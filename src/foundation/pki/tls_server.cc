// SPDX-License-Identifier: Apache-2.0
#include "pki/tls_server.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <string_view>

#include "pki/openssl.h"

namespace pki {
namespace {

BioPtr Reader(const std::string& pem) {
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

[[noreturn]] void Refuse(std::string_view what) {
  ERR_clear_error();
  throw base::Error(base::Error::Kind::kInvalid, "the server's certificate: " + std::string(what));
}

void UseCertificates(SSL_CTX* context, const std::string& pem) {
  const BioPtr reader = Reader(pem);
  const X509Ptr leaf(PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr));
  if (leaf == nullptr || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    Refuse("there is none that can be read");
  }
  while (X509* next = PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)) {
    SSL_CTX_add0_chain_cert(context, next);  // takes it over
  }
}

void UseKey(SSL_CTX* context, const std::string& pem) {
  const BioPtr reader = Reader(pem);
  const EvpPkeyPtr key(PEM_read_bio_PrivateKey(reader.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    Refuse("there is no key that belongs to it");
  }
}

}  // namespace

void TlsConnection::FreeSsl::operator()(ssl_st* ssl) const { SSL_free(ssl); }

TlsConnection::TlsConnection(ssl_st* ssl) : ssl_(ssl) {}

TlsConnection::~TlsConnection() {
  if (!broken_ && SSL_is_init_finished(ssl_.get()) == 1) {
    SSL_shutdown(ssl_.get());  // tells the other side, waits for nothing
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
  ERR_clear_error();  // the end of the text counts as an error there
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
