// SPDX-License-Identifier: Apache-2.0
#include "pki/fake_server_context.h"

#include <openssl/ssl.h>

#include "pki/openssl.h"

namespace pki {
namespace {

template <typename Owner, typename Read>
Owner FromPem(const std::string& pem, Read read) {
  const BioPtr reader(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Owner object(read(reader.get(), nullptr, nullptr, nullptr));
  if (object == nullptr) {
    FailOpenSsl(base::Error::Kind::kInvalid, "the fake server cannot read its PEM");
  }
  return object;
}

}  // namespace

void UseFakeIdentity(const FakeIdentity& identity, ssl_ctx_st& context) {
  const auto certificate = FromPem<X509Ptr>(identity.certificate_pem, PEM_read_bio_X509);
  const auto key = FromPem<EvpPkeyPtr>(identity.key_pem, PEM_read_bio_PrivateKey);
  Check(SSL_CTX_use_certificate(&context, certificate.get()) == 1, "the fake server's certificate");
  Check(SSL_CTX_use_PrivateKey(&context, key.get()) == 1, "the fake server's key");
  if (!identity.client_ca_pem.empty()) {
    const auto ca = FromPem<X509Ptr>(identity.client_ca_pem, PEM_read_bio_X509);
    Check(X509_STORE_add_cert(SSL_CTX_get_cert_store(&context), ca.get()) == 1,
          "the fake server's CA of clients");
    // In TLS 1.3 the server refuses a client after the handshake. The client then either reads the
    // reason or fails while writing, which is a race. Only ML-DSA uses TLS 1.3, because older
    // versions do not support ML-DSA.
    SSL_CTX_set_max_proto_version(&context, IsMlDsa(key.get()) ? TLS1_3_VERSION : TLS1_2_VERSION);
    SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
}

}  // namespace pki
