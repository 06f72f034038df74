// SPDX-License-Identifier: Apache-2.0
// One row per minor version of Kubernetes: the properties of a cluster of that version.
// Version-dependent code reads a row; no other code compares minor versions (reference: minors.md
// §2, §3). Facts of a cluster come from the row of its version, facts of this program from
// Newest(). The last row may be that of a pre-release: this program can deploy clusters of that
// version, but does not report it as its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/version.h"

namespace releases {

enum class GateStage { kAlpha, kBeta, kGeneral, kDeprecated };

// A feature gate of kubeadm's own. Its name is a literal.
struct FeatureGate {
  std::string_view name;
  bool default_value;
  GateStage stage;
};

inline constexpr std::string_view kControlPlaneKubeletLocalMode = "ControlPlaneKubeletLocalMode";
inline constexpr std::string_view kNodeLocalCriSocket = "NodeLocalCRISocket";
inline constexpr std::string_view kPublicKeysEcdsa = "PublicKeysECDSA";

// The handling of the Node's annotation kubeadm.alpha.kubernetes.io/cri-socket. Older releases
// stored the socket of the node's container runtime in this annotation.
enum class SocketAnnotation {
  kByGate,   // set while NodeLocalCRISocket is off, else removed by an upgrade
  kRemoved,  // removed by an upgrade
  kUnused,   // neither read nor written
};

// A row; its strings and gates are literals. `minor` is that of Kubernetes 1.x.
struct Release {
  int minor;
  // The newest tested patch version, "v1.37.2". If the minor version is not released yet, the
  // newest pre-release, "v1.38.0-beta.0".
  std::string_view version;

  // Tags of the images besides Kubernetes' own.
  std::string_view etcd;
  std::string_view core_dns;
  std::string_view pause;

  // The gates that a ClusterConfiguration of this minor may name, sorted.
  std::span<const FeatureGate> gates;

  // The default mode of a KubeProxyConfiguration; "" leaves it to kube-proxy.
  std::string_view kube_proxy_mode;

  // True if kube-controller-manager mounts the directory of flexvolume plugins.
  bool flex_volumes;
  // True if etcd is older than 3.6, and therefore needs that version's flag names.
  bool etcd_before_3_6;
  // True if the kubelet gets its pause image by --pod-infra-container-image. Kubelets since 1.35
  // refuse to start with this argument.
  bool pod_infra_flag;
  SocketAnnotation socket_annotation;
  // True if etcd.external has the field httpEndpoints.
  bool http_endpoints;
  // The container runtime must support the call RuntimeConfig from this kubelet version on: "1.38".
  // "" if the release does not announce such a version.
  std::string_view needs_runtime_config;
  // True if the kubelet does not start on version 1 of control groups, unless configured to
  // (KEP-5573).
  bool refuses_cgroup_v1;
  // True if the controller manager has device-taint-eviction-controller with a separate account.
  bool evicts_from_tainted_devices;

  // The organization in the certificate with which the API server authenticates to kubelets; "" for
  // none. Without an organization, a ClusterRoleBinding grants the rights to the certificate's
  // user.
  std::string_view kubelet_client_group;

  // True if certificates for ECDSA keys have the usage keyEncipherment, although only RSA keys can
  // be used for it.
  bool ecdsa_enciphers;
  // True if the components can use ML-DSA keys (encryptionAlgorithm ML-DSA-44, -65, -87).
  bool ml_dsa;
  // True if the kubelet runs getent for the ID range of user namespaces.
  bool wants_getent;
  // True if the control plane can emulate the previous minor version (argument emulated-version).
  // Tested with the etcd of the previous minor version, both for upgrading and for rolling back.
  bool soaks;

  // Returns nullptr for a name that this minor version does not know.
  const FeatureGate* FindGate(std::string_view name) const;
};

// Returns all minor versions that this program deploys and upgrades to, from the oldest to the
// newest, without a gap.
std::span<const Release> All();
// Returns the newest released row. This program reports that release as its own. New clusters get
// this version by default.
const Release& Newest();
// Returns the last row, which may be that of a pre-release: the newest that can be deployed.
const Release& NewestKnown();

// Returns the row of a version ("v1.36.3", "1.36.0-rc.1"). Returns the oldest row for an older
// version, and the newest released row for a newer or an invalid version. A row with a pre-release
// applies to that version, to later pre-releases and to the release that follows them ("v1.38.0").
// It does not apply to earlier pre-releases, and not to patches ("v1.38.1").
const Release& For(std::string_view version);
const Release& For(const base::Version& version);

// Returns whether the version's own minor version has a row.
bool Covers(const base::Version& version);

// Returns whether components of this version can use ML-DSA keys. Returns true for the first
// version that can, and for all later versions, even without a row ("v1.38.1").
bool KnowsMlDsa(const base::Version& version);
// Returns the oldest version with ML-DSA keys: "v1.38.0", or a pre-release while v1.38.0 is not
// released.
std::string OldestMlDsa();

// Returns the first version of the oldest row: "1.34.0". Pre-releases of it are older.
base::Version OldestSupported();
// Returns the oldest kubelet version that works with a control plane: three minor versions older
// (Kubernetes' version skew policy).
base::Version OldestKubelet(const base::Version& control_plane);

// Returns "v1.34 to v1.37, and v1.38.0 from v1.38.0-beta.0 on", for messages.
std::string SupportedRange();

}  // namespace releases
