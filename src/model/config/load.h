// SPDX-License-Identifier: Apache-2.0
// Load: configuration file → a complete and valid configuration (reference: config-api.md §2).
// Decoding, static defaults, v1beta3's moved fields, component configurations, dynamic defaults,
// validation: in that order, and each may throw base::Error(kInvalid).
#pragma once

#include <optional>
#include <string>

#include "config/documents.h"
#include "config/facts.h"
#include "config/types.h"

namespace config {

// The treatment of deprecated API versions.
enum class DeprecatedVersions { kWarn, kAccept };
enum class ExperimentalVersions { kRefuse, kAccept };
enum class OtherDocuments { kWarn, kAccept };
enum class AdvertiseAddress { kChoose, kKeep };

// LoadOptions of the functions below.
struct LoadOptions {
  UnknownFields unknown_fields = UnknownFields::kWarn;
  DeprecatedVersions deprecated = DeprecatedVersions::kWarn;
  ExperimentalVersions experimental = ExperimentalVersions::kRefuse;
  // Documents that the command does not read: one file may serve several commands.
  OtherDocuments others = OtherDocuments::kWarn;
  CriSocketChoice cri_socket = CriSocketChoice::kDetect;
  // LoadStored only: the version that the cluster is upgraded to, "" for its present one. The rules
  // of a release follow from it.
  std::string kubernetes_version = {};
  // LoadStored only: kKeep leaves the node's address as it is, since a worker has none.
  AdvertiseAddress advertise_address = AdvertiseAddress::kChoose;
};

// Reads an InitConfiguration or ClusterConfiguration; a missing one has the defaults.
// KubeletConfiguration and KubeProxyConfiguration in the same file are read too.
Init LoadInit(const Source& source, const Facts& facts, const LoadOptions& options = {});

// The other functions read the kind in their name.
JoinConfiguration LoadJoin(const Source& source, const Facts& facts,
                           const LoadOptions& options = {});
ResetConfiguration LoadReset(const Source& source, const Facts& facts,
                             const LoadOptions& options = {});
UpgradeConfiguration LoadUpgrade(const Source& source, const LoadOptions& options = {});

// CompleteInit and its siblings are for configurations from flags, without a file: the same steps
// from the static defaults on.
Init CompleteInit(Init config, const Facts& facts,
                  CriSocketChoice cri_socket = CriSocketChoice::kDetect);
JoinConfiguration CompleteJoin(JoinConfiguration join, const Facts& facts,
                               CriSocketChoice cri_socket = CriSocketChoice::kDetect);
ResetConfiguration CompleteReset(ResetConfiguration reset, const Facts& facts,
                                 CriSocketChoice cri_socket = CriSocketChoice::kDetect);
UpgradeConfiguration CompleteUpgrade(UpgradeConfiguration upgrade);

// A component configuration in a cluster's ConfigMap.
struct StoredComponent {
  std::string text;
  bool generated = false;  // its hash shows that kubeadm, not the user, wrote it
  bool operator==(const StoredComponent&) const = default;
};

// The stored configuration of a cluster: the data of kubeadm-config, kubelet-config and kube-proxy.
struct StoredConfig {
  std::string cluster;
  std::optional<StoredComponent> kubelet;
  std::optional<StoredComponent> kube_proxy;
  bool operator==(const StoredConfig&) const = default;
};

// Completes a cluster's configuration with that of this node. It is not validated: an older release
// may have accepted invalid values. A generated component configuration of another version is
// regenerated.
Init LoadStored(const StoredConfig& stored, InitConfiguration node, const Facts& facts,
                const LoadOptions& options = {});

// Decodes a stored ClusterConfiguration and sets only its static defaults.
ClusterConfiguration DecodeCluster(const std::string& text);

}  // namespace config
