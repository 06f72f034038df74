// SPDX-License-Identifier: Apache-2.0
// PEM files: every accepted input can be written again, and reads back as the same value.
#include <string>
#include <string_view>

#include "fuzz.h"
#include "pki/certificate.h"
#include "pki/key.h"

namespace {

using fuzz::Require;

void TryCertificates(std::string_view text) {
  for (const pki::Certificate& certificate : pki::Certificate::ChainFromPem(text)) {
    Require(pki::Certificate::FromPem(certificate.Pem()) == certificate,
            "a certificate comes back from its PEM");
    for (const std::string& address : certificate.alt_names().ip_addresses) {
      Require(address.empty() || certificate.CoversName(address),
              "a certificate covers its addresses");
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
  Require(pki::PrivateKey::FromPem(key.Pem()).Pem() == key.Pem(), "a key comes back from its PEM");
  key.Public();
}

void TryPublicKey(std::string_view text) {
  const pki::PublicKey key = pki::PublicKey::FromPem(text);
  Require(pki::PublicKey::FromPem(key.Pem()) == key, "a public key comes back from its PEM");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::Text(bytes, size);
  fuzz::Refused([&] { TryCertificates(text); });
  fuzz::Refused([&] { TryPrivateKey(text); });
  fuzz::Refused([&] { TryPublicKey(text); });
  return 0;
}
