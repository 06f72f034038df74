// SPDX-License-Identifier: Apache-2.0
// Kubelet certificates signed by a CA of the cluster, for tests that dial them.
#pragma once

#include <chrono>
#include <string>

#include "http/fake_server.h"
#include "pki/certificate.h"

namespace evidence {

// Signs certificates of kubelets that are valid an hour before and after `now`.
class KubeletCa {
 public:
  explicit KubeletCa(std::chrono::sys_seconds now);

  // Returns a serving certificate and its key, with this common name (such as "system:node:panda")
  // and these alternative names.
  http::FakeTls Certify(const std::string& common_name, const pki::SubjectAltNames& names) const;
  const pki::Certificate& certificate() const { return pair_.certificate; }

 private:
  pki::CertificateSpec Spec(const std::string& common_name) const;

  std::chrono::sys_seconds now_;
  pki::PrivateKey key_ = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  pki::KeyPair pair_;
};

}  // namespace evidence
