// SPDX-License-Identifier: Apache-2.0
// Building kubeconfigs from their parts.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/duration.h"
#include "kube/kubeconfig.h"
#include "pki/certificate.h"

namespace kubeconfigs {

// The parts of a kubeconfig with one cluster, one user and the context "<user>@<cluster>" of both.
struct Parts {
  std::string cluster;
  std::string server;
  std::string ca_pem = {};
  std::string user;
  std::string certificate_pem = {};
  std::string key_pem = {};
  std::string token = {};
};
kube::Kubeconfig NewKubeconfig(Parts parts);

// Issues a client's certificate: valid from the start of the CA's validity until `not_after`, so
// that a client whose clock is slow can use it at once. `ecdsa_enciphers`: see
// pki::CertificateSpec.
pki::Certificate NewClient(const pki::Subject& subject, const pki::PublicKey& key,
                           const pki::KeyPair& ca, std::chrono::sys_seconds not_after,
                           bool ecdsa_enciphers = false);

}  // namespace kubeconfigs
