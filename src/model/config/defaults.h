// SPDX-License-Identifier: Apache-2.0
// Defaults that do not depend on the host (reference: config-api.md §3). facts.h has the others.
#pragma once

#include "config/types.h"
#include "json/fields.h"

namespace config {

inline constexpr std::int32_t kDefaultBindPort = 6443;
inline constexpr base::Duration kDefaultCertificateValidity = std::chrono::hours(8760);
inline constexpr base::Duration kDefaultCaValidity = std::chrono::hours(87600);
inline constexpr std::string_view kDefaultClusterName = "kubernetes";
inline constexpr std::string_view kDefaultServiceSubnet = "10.96.0.0/12";
inline constexpr std::string_view kDefaultDnsDomain = "cluster.local";
inline constexpr std::string_view kDefaultCaCertPath = "/etc/kubernetes/pki/ca.crt";
inline constexpr std::string_view kDefaultEncryptionAlgorithm = "RSA-2048";

// DefaultTimeouts has every member set.
Timeouts DefaultTimeouts();

// Returns the configured timeout, or its default.
base::Duration TimeoutOf(const std::optional<Timeouts>& configured,
                         std::optional<base::Duration> Timeouts::* which);

// Fills the fields that the user left out.
void SetDefaults(InitConfiguration& init);
void SetDefaults(ClusterConfiguration& cluster);
void SetDefaults(JoinConfiguration& join);
void SetDefaults(ResetConfiguration& reset);
void SetDefaults(UpgradeConfiguration& upgrade);

// Prepares the object into which a document of that version is decoded. v1beta3 has two timeouts
// with separate defaults; these are set here, so that an explicit zero in the document overrides
// them.
void SetBlank(ClusterConfiguration& cluster, json::Versions version);
void SetBlank(JoinConfiguration& join, json::Versions version);

// Moves v1beta3's timeouts to their fields in v1beta4.
void MoveTimeouts(const ClusterConfiguration& from, InitConfiguration& to);
void MoveTimeouts(JoinConfiguration& join);

// Removes fields that the cluster's release lacks, so that the kubeadm of that release can read the
// stored configuration. Warns if the user has set a removed field.
void DropUnknownToRelease(ClusterConfiguration& cluster);

// Returns the algorithm of new keys. In releases with the feature gate PublicKeysECDSA, a set gate
// overrides encryptionAlgorithm.
std::string EncryptionAlgorithm(const ClusterConfiguration& cluster);

}  // namespace config
