// SPDX-License-Identifier: Apache-2.0
#include "pki/server_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

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

void FreeSslContext::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

SslContextPtr NewServerContext(const std::string& certificate_pem, const std::string& key_pem) {
  SslContextPtr context(SSL_CTX_new(TLS_server_method()));
  Check(context != nullptr, "cannot make a TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  UseCertificates(context.get(), certificate_pem);
  UseKey(context.get(), key_pem);
  ERR_clear_error();  // the end of the text counts as an error there
  return context;
}

}  // namespace pki
