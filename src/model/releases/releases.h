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

  // kube-controller-manager mounts the directory of flexvolume plugins.
  bool flex_volumes;
  // An etcd before 3.6 gets the flag names of that time.
  bool etcd_before_3_6;
  // True if the kubelet gets its pause image by --pod-infra-container-image. Kubelets since 1.35
  // refuse to start with this argument.
  bool pod_infra_flag;
  SocketAnnotation socket_annotation;
  // etcd.external has the field httpEndpoints.
  bool http_endpoints;
  // The kubelet version from which, as announced, the container runtime must support the call
  // RuntimeConfig: "1.38". "" if the release did not announce one.
  std::string_view needs_runtime_config;
  // Its kubelet does not start on version 1 of control groups, unless configured to (KEP-5573).
  bool refuses_cgroup_v1;
  // The controller manager has device-taint-eviction-controller, with an account of its own.
  bool evicts_from_tainted_devices;

  // The organization in the certificate with which the API server authenticates to kubelets; "" for
  // none. Without an organization, a ClusterRoleBinding grants the rights to the certificate's
  // user.
  std::string_view kubelet_client_group;

  // True if certificates for ECDSA keys have the usage keyEncipherment, although only RSA keys can
  // be used for it.
  bool ecdsa_enciphers;
  // The components can use ML-DSA keys (encryptionAlgorithm ML-DSA-44, -65, -87).
  bool ml_dsa;
  // The kubelet runs getent for the ID range of user namespaces.
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

// Returns whether components of this version can use ML-DSA keys: those of the first such row, and
// all later ones, also without a row of their own (a kubelet of "v1.38.1").
bool KnowsMlDsa(const base::Version& version);
// Returns the oldest such version: "v1.38.0", or a pre-release while that version is not released.
std::string OldestMlDsa();

// Returns the first version of the oldest row: "1.34.0". Pre-releases of it are older.
base::Version OldestSupported();
// Returns the oldest kubelet version that works with a control plane: three minor versions older
// (Kubernetes' version skew policy).
base::Version OldestKubelet(const base::Version& control_plane);

// Returns "v1.34 to v1.37, and v1.38.0 from v1.38.0-beta.0 on", for messages.
std::string SupportedRange();

}  // namespace releases
