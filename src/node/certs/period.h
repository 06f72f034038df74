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
// New certificates are valid from a little before the process started, because clocks may differ.
inline constexpr std::chrono::minutes kBackdate{5};

// Return the configured periods or their defaults.
base::Duration LeafValidity(const config::ClusterConfiguration& cluster);
base::Duration CaValidity(const config::ClusterConfiguration& cluster);

// Returns `start` plus `validity`, in whole seconds.
std::chrono::sys_seconds EndOf(std::chrono::sys_seconds start, base::Duration validity);

// Returns the algorithm of every new key: encryptionAlgorithm, or RSA-2048 if that field is empty.
// The deprecated feature gate PublicKeysECDSA, if set, overrides the field. Throws
// base::Error(kInvalid).
pki::Algorithm AlgorithmFor(const config::ClusterConfiguration& cluster);

// Returns the algorithm of new keys of the CA `ca_name` and of its certificates, if it differs from
// AlgorithmFor. It differs only for etcd's CA, because etcd cannot use ML-DSA keys: if the cluster
// uses ML-DSA keys, but the present etcd CA does not.
std::optional<pki::Algorithm> FindEtcdAlgorithm(const config::ClusterConfiguration& cluster,
                                                std::string_view ca_name,
                                                const pki::Certificate& ca);

// Returns whether certificates with ECDSA keys get the key usage keyEncipherment in a cluster of
// this version (pki::CertificateSpec::ecdsa_enciphers).
bool EcdsaEnciphers(const config::ClusterConfiguration& cluster);

// Returns a phrase with the time from which the certificate is valid, or at which it expired;
// std::nullopt if it is valid at `now`.
std::optional<std::string> PeriodProblem(const pki::Certificate& certificate,
                                         std::chrono::sys_seconds now);

// Warns about certificates that are used although they have expired or are not valid yet. Warns
// once for each name. Thread-safe.
class PeriodLog {
 public:
  explicit PeriodLog(std::chrono::sys_seconds now) : now_(now) {}
  // Returns whether it warned.
  bool Check(std::string_view name, const pki::Certificate& certificate);

 private:
  const std::chrono::sys_seconds now_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> warned_;  // guarded by mutex_
};

}  // namespace certs
