// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/build.h"

#include <utility>

#include "base/error.h"

namespace kubeconfigs {

kube::Kubeconfig NewKubeconfig(Parts parts) {
  const std::string context = parts.user + "@" + parts.cluster;
  kube::Kubeconfig config;
  config.clusters[parts.cluster] = {.server = std::move(parts.server),
                                    .certificate_authority_data = std::move(parts.ca_pem)};
  config.users[parts.user] = {.client_certificate_data = std::move(parts.certificate_pem),
                              .client_key_data = std::move(parts.key_pem),
                              .token = std::move(parts.token)};
  config.contexts[context] = {.cluster = std::move(parts.cluster), .user = std::move(parts.user)};
  config.current_context = context;
  return config;
}

pki::Certificate NewClient(const pki::Subject& subject, const pki::PublicKey& key,
                           const pki::KeyPair& ca, std::chrono::sys_seconds not_after,
                           bool ecdsa_enciphers) {
  if (subject.common_name.empty()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "a client certificate needs a name (its CommonName)");
  }
  return pki::Sign({.subject = subject,
                    .usages = {pki::ExtendedKeyUsage::kClientAuth},
                    .not_before = ca.certificate.not_before(),
                    .not_after = not_after,
                    .ecdsa_enciphers = ecdsa_enciphers},
                   key, ca);
}

}  // namespace kubeconfigs
