// PEM texts: what can be read must be written again, and read to the same thing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "pki/certificate.h"
#include "pki/key.h"

namespace {

void Require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void TryCertificates(std::string_view text) {
  for (const pki::Certificate& certificate : pki::Certificate::ChainFromPem(text)) {
    Require(pki::Certificate::FromPem(certificate.Pem()) == certificate);
    const pki::SubjectAltNames names = certificate.alt_names();
    for (const std::string& name : names.dns_names) {
      Require(certificate.CoversName(name) || name.find_first_of(":.") != std::string::npos);
    }
    certificate.subject();
    certificate.IssuerText();
    certificate.usages();
    certificate.is_ca();
    pki::ChainProblem(certificate, {certificate}, {});
    pki::Pin(certificate);
    certificate.not_after();  // a date that cannot be read is thrown
  }
}

void TryPrivateKey(std::string_view text) {
  const pki::PrivateKey key = pki::PrivateKey::FromPem(text);
  Require(pki::PrivateKey::FromPem(key.Pem()).Pem() == key.Pem());
  key.Public();
}

void TryPublicKey(std::string_view text) {
  const pki::PublicKey key = pki::PublicKey::FromPem(text);
  Require(pki::PublicKey::FromPem(key.Pem()) == key);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto attempt : {TryCertificates, TryPrivateKey, TryPublicKey}) {
    try {
      attempt(text);
    } catch (const base::Error&) {
      // refused, which is an answer
    }
  }
  return 0;
}
