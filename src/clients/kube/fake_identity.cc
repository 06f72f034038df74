// SPDX-License-Identifier: Apache-2.0
#include "kube/fake_identity.h"

#include <chrono>

#include "pki/certificate.h"

namespace kube {

const FakeIdentity& OneFakeIdentity() {
  static const FakeIdentity identity = [] {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    pki::CertificateSpec spec{.subject = {.common_name = "ca", .organizations = {}},
                              .alt_names = {},
                              .usages = {pki::ExtendedKeyUsage::kServerAuth},
                              .not_before = now - std::chrono::minutes(5),
                              .not_after = now + std::chrono::hours(1)};
    const auto ca_key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    const pki::KeyPair ca{.certificate = pki::NewSelfSignedCa(spec, ca_key), .key = ca_key};
    spec.subject.common_name = "server";
    spec.alt_names.ip_addresses = {"127.0.0.1"};
    const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    return FakeIdentity{.tls = {.certificate_pem = pki::Sign(spec, key.Public(), ca).Pem(),
                                .key_pem = key.Pem(),
                                .client_ca_pem = {}},
                        .ca_pem = ca.certificate.Pem()};
  }();
  return identity;
}

}  // namespace kube
