// SPDX-License-Identifier: Apache-2.0
#include "certs/period.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "certs/tree.h"
#include "config/defaults.h"
#include "json/rfc3339.h"
#include "pki/key.h"
#include "releases/releases.h"

namespace certs {

base::Duration LeafValidity(const config::ClusterConfiguration& cluster) {
  return cluster.certificate_validity_period.value_or(kDefaultValidity);
}

base::Duration CaValidity(const config::ClusterConfiguration& cluster) {
  return cluster.ca_certificate_validity_period.value_or(kDefaultCaValidity);
}

std::chrono::sys_seconds EndOf(std::chrono::sys_seconds start, base::Duration validity) {
  return start + std::chrono::floor<std::chrono::seconds>(validity);
}

pki::Algorithm AlgorithmFor(const config::ClusterConfiguration& cluster) {
  const std::string name = config::EncryptionAlgorithm(cluster);
  return name.empty() ? pki::Algorithm::kRsa2048 : pki::ParseAlgorithm(name);
}

std::optional<pki::Algorithm> FindEtcdAlgorithm(const config::ClusterConfiguration& cluster,
                                                std::string_view ca_name,
                                                const pki::Certificate& ca) {
  const std::string of_ca = ca.public_key().AlgorithmText();
  if (ca_name != kEtcdCa || !pki::IsMlDsa(config::EncryptionAlgorithm(cluster)) ||
      pki::IsMlDsa(of_ca)) {
    return std::nullopt;
  }
  try {
    return pki::ParseAlgorithm(of_ca);
  } catch (const base::Error&) {
    return pki::Algorithm::kEcdsaP256;  // the user's own CA has a key on another curve
  }
}

bool EcdsaEnciphers(const config::ClusterConfiguration& cluster) {
  return releases::For(cluster.kubernetes_version).ecdsa_enciphers;
}

std::optional<std::string> PeriodProblem(const pki::Certificate& certificate,
                                         std::chrono::sys_seconds now) {
  if (now > certificate.not_after()) {
    return fmt::format("it expired at {}", json::FormatRfc3339(certificate.not_after()));
  }
  if (now < certificate.not_before()) {
    return fmt::format("it is not valid before {}", json::FormatRfc3339(certificate.not_before()));
  }
  return std::nullopt;
}

bool PeriodLog::Check(std::string_view name, const pki::Certificate& certificate) {
  const std::optional<std::string> problem = PeriodProblem(certificate, now_);
  if (!problem) {
    return false;
  }
  {
    const std::lock_guard lock(mutex_);
    if (!warned_.emplace(name).second) {
      return false;
    }
  }
  base::LogWarning("certificate {} is used although {}", name, *problem);
  return true;
}

}  // namespace certs
