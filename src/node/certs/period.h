// SPDX-License-Identifier: Apache-2.0
// Algorithms and validity of new certificates, and warnings about old ones (reference: pki.md §2).
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/duration.h"
#include "config/types.h"
#include "pki/certificate.h"

namespace certs {

inline constexpr std::chrono::hours kDefaultValidity{24 * 365};
inline constexpr std::chrono::hours kDefaultCaValidity{24 * 365 * 10};
// New certificates begin a little before the process did, so that clocks may differ.
inline constexpr std::chrono::minutes kBackdate{5};

// LeafValidity and CaValidity are the configured periods or their defaults.
base::Duration LeafValidity(const config::ClusterConfiguration& cluster);
base::Duration CaValidity(const config::ClusterConfiguration& cluster);

// EndOf is `start` plus `validity`, whole seconds.
std::chrono::sys_seconds EndOf(std::chrono::sys_seconds start, base::Duration validity);

// AlgorithmFor is the algorithm of every new key: encryptionAlgorithm, RSA-2048 when it is empty;
// the deprecated feature gate PublicKeysECDSA, where it is set, overrides it. Throws
// base::Error(kInvalid).
pki::Algorithm AlgorithmFor(const config::ClusterConfiguration& cluster);

// FindEtcdAlgorithm is the algorithm of a key whose certificate the CA of that name signs, or which
// replaces that CA's, where AlgorithmFor does not count: for etcd's CA when the cluster's algorithm
// is ML-DSA and the CA's key is of another. etcd cannot use ML-DSA keys.
std::optional<pki::Algorithm> FindEtcdAlgorithm(const config::ClusterConfiguration& cluster,
                                                std::string_view ca_name,
                                                const pki::Certificate& ca);

// EcdsaEnciphers tells whether certificates for ECDSA keys have keyEncipherment in a cluster of
// this version (pki::CertificateSpec::ecdsa_enciphers).
bool EcdsaEnciphers(const config::ClusterConfiguration& cluster);

// PeriodProblem says since or until when the certificate is not valid; nothing when it is, at
// `now`.
std::optional<std::string> PeriodProblem(const pki::Certificate& certificate,
                                         std::chrono::sys_seconds now);

// PeriodLog warns of certificates that are used although they expired or are not valid yet, once
// for each name. May be used from several threads.
class PeriodLog {
 public:
  explicit PeriodLog(std::chrono::sys_seconds now) : now_(now) {}
  // Check returns whether it warned.
  bool Check(std::string_view name, const pki::Certificate& certificate);

 private:
  const std::chrono::sys_seconds now_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> warned_;  // guarded by mutex_
};

}  // namespace certs
