// SPDX-License-Identifier: Apache-2.0
#include "evidence/fake_kubelet.h"

namespace evidence {

KubeletCa::KubeletCa(std::chrono::sys_seconds now)
    : now_(now), pair_{.certificate = pki::NewSelfSignedCa(Spec("ca"), key_), .key = key_} {}

pki::CertificateSpec KubeletCa::Spec(const std::string& common_name) const {
  return {.subject = {.common_name = common_name, .organizations = {}},
          .alt_names = {},
          .usages = {pki::ExtendedKeyUsage::kServerAuth},
          .not_before = now_ - std::chrono::hours(1),
          .not_after = now_ + std::chrono::hours(1)};
}

http::FakeTls KubeletCa::Certify(const std::string& common_name,
                                 const pki::SubjectAltNames& names) const {
  pki::CertificateSpec spec = Spec(common_name);
  spec.alt_names = names;
  const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  return {.certificate_pem = pki::Sign(spec, key.Public(), pair_).Pem(),
          .key_pem = key.Pem(),
          .client_ca_pem = {}};
}

}  // namespace evidence
