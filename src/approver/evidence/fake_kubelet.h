// SPDX-License-Identifier: Apache-2.0
// Certificates that a CA of the cluster has signed for kubelets, for tests that dial them.
#pragma once

#include <chrono>
#include <string>

#include "http/fake_server.h"
#include "pki/certificate.h"

namespace evidence {

// KubeletCa signs certificates of kubelets that are valid an hour before and after `now`.
class KubeletCa {
 public:
  explicit KubeletCa(std::chrono::sys_seconds now);

  // Certify is the identity of a kubelet: "system:node:panda" with these names.
  http::FakeTls Certify(const std::string& common_name, const pki::SubjectAltNames& names) const;
  const pki::Certificate& certificate() const { return pair_.certificate; }

 private:
  pki::CertificateSpec Spec(const std::string& common_name) const;

  std::chrono::sys_seconds now_;
  pki::PrivateKey key_ = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  pki::KeyPair pair_;
};

}  // namespace evidence
