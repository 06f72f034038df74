// SPDX-License-Identifier: Apache-2.0
// Load: configuration file → a complete and valid configuration (reference: config-api.md §2). The
// steps, in this order: decoding, static defaults, v1beta3's moved fields, component
// configurations, dynamic defaults, validation. Each step may throw base::Error(kInvalid).
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

// Options of the functions below.
struct LoadOptions {
  UnknownFields unknown_fields = UnknownFields::kWarn;
  DeprecatedVersions deprecated = DeprecatedVersions::kWarn;
  ExperimentalVersions experimental = ExperimentalVersions::kRefuse;
  // The treatment of documents that the command does not read. One file may serve several commands.
  OtherDocuments others = OtherDocuments::kWarn;
  CriSocketChoice cri_socket = CriSocketChoice::kDetect;
  // Used by LoadStored only: the version to which the cluster is upgraded, or "" for the current
  // version. It selects the release whose rules apply.
  std::string kubernetes_version = {};
  // Used by LoadStored only: kKeep leaves the node's advertise address unchanged, because a worker
  // has none.
  AdvertiseAddress advertise_address = AdvertiseAddress::kChoose;
};

// Reads an InitConfiguration or a ClusterConfiguration, or both; a missing one has the defaults.
// Also reads KubeletConfiguration and KubeProxyConfiguration in the same file.
Init LoadInit(const Source& source, const Facts& facts, const LoadOptions& options = {});

// The other functions read the kind in their name.
JoinConfiguration LoadJoin(const Source& source, const Facts& facts,
                           const LoadOptions& options = {});
ResetConfiguration LoadReset(const Source& source, const Facts& facts,
                             const LoadOptions& options = {});
UpgradeConfiguration LoadUpgrade(const Source& source, const LoadOptions& options = {});

// The Complete functions are for configurations from flags, without a file. They perform the same
// steps as the Load functions, starting with the static defaults.
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

// Completes a cluster's stored configuration with the configuration of this node. Does not validate
// the result: an older release may have accepted values that are invalid now. If kubeadm generated
// a component configuration and its version has changed, generates it again.
Init LoadStored(const StoredConfig& stored, InitConfiguration node, const Facts& facts,
                const LoadOptions& options = {});

// Decodes a stored ClusterConfiguration and sets only its static defaults.
ClusterConfiguration DecodeCluster(const std::string& text);

}  // namespace config
