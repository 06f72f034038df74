// SPDX-License-Identifier: Apache-2.0
// Load: configuration text → a configuration that is complete and valid (reference:
// config-api.md §2). Decoding, static defaults, what v1beta3 keeps elsewhere, component
// configurations, dynamic defaults, validation: in that order, and each may throw
// base::Error(kInvalid).
#pragma once

#include <optional>
#include <string>

#include "config/documents.h"
#include "config/facts.h"
#include "config/types.h"

namespace config {

// DeprecatedVersions is whether to tell the user that a version of the API is going away.
enum class DeprecatedVersions { kWarn, kAccept };
enum class ExperimentalVersions { kRefuse, kAccept };
enum class OtherDocuments { kWarn, kAccept };
enum class AdvertiseAddress { kChoose, kKeep };

// LoadOptions of the functions below.
struct LoadOptions {
  UnknownFields unknown_fields = UnknownFields::kWarn;
  DeprecatedVersions deprecated = DeprecatedVersions::kWarn;
  ExperimentalVersions experimental = ExperimentalVersions::kRefuse;
  // Documents that the command does not want: one file may serve several commands.
  OtherDocuments others = OtherDocuments::kWarn;
  CriSocketChoice cri_socket = CriSocketChoice::kDetect;
  // LoadStored only: the version that the cluster is brought to, "" for the one that it has. What a
  // release decides follows from it.
  std::string kubernetes_version = {};
  // LoadStored only: kKeep leaves the node's address as it is, since a worker has none.
  AdvertiseAddress advertise_address = AdvertiseAddress::kChoose;
};

// LoadInit wants an InitConfiguration or ClusterConfiguration; the one that is missing is all
// defaults. KubeletConfiguration and KubeProxyConfiguration beside them are taken in.
Init LoadInit(const Source& source, const Facts& facts, const LoadOptions& options = {});

// The others want their own kind.
JoinConfiguration LoadJoin(const Source& source, const Facts& facts,
                           const LoadOptions& options = {});
ResetConfiguration LoadReset(const Source& source, const Facts& facts,
                             const LoadOptions& options = {});
UpgradeConfiguration LoadUpgrade(const Source& source, const LoadOptions& options = {});

// CompleteInit and its like are for what was made without a file, by flags: the same way from the
// static defaults on.
Init CompleteInit(Init config, const Facts& facts,
                  CriSocketChoice cri_socket = CriSocketChoice::kDetect);
JoinConfiguration CompleteJoin(JoinConfiguration join, const Facts& facts,
                               CriSocketChoice cri_socket = CriSocketChoice::kDetect);
ResetConfiguration CompleteReset(ResetConfiguration reset, const Facts& facts,
                                 CriSocketChoice cri_socket = CriSocketChoice::kDetect);
UpgradeConfiguration CompleteUpgrade(UpgradeConfiguration upgrade);

// StoredComponent is a component configuration as a cluster's ConfigMap holds it.
struct StoredComponent {
  std::string text;
  bool generated = false;  // its hash shows that kubeadm, not the user, wrote it
  bool operator==(const StoredComponent&) const = default;
};

// StoredConfig is what a cluster holds: the data of kubeadm-config, kubelet-config and kube-proxy.
struct StoredConfig {
  std::string cluster;
  std::optional<StoredComponent> kubelet;
  std::optional<StoredComponent> kube_proxy;
  bool operator==(const StoredConfig&) const = default;
};

// LoadStored completes a cluster's configuration with that of this node. It is not validated: an
// older release may have accepted what this one would not. A generated component configuration of
// another version is made again.
Init LoadStored(const StoredConfig& stored, InitConfiguration node, const Facts& facts,
                const LoadOptions& options = {});

// DecodeCluster decodes a stored ClusterConfiguration and sets its static defaults, no more.
ClusterConfiguration DecodeCluster(const std::string& text);

}  // namespace config
