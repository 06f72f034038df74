// SPDX-License-Identifier: Apache-2.0
// One row per minor version of Kubernetes: what a cluster of that minor looks like. What depends on
// the minor asks a row; nothing else compares minor versions (reference: minors.md §2, §3). Facts
// of a cluster come from the row of its version, facts of this program from Newest().
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/version.h"

namespace releases {

enum class GateStage { kAlpha, kBeta, kGeneral, kDeprecated };

// FeatureGate is a feature of kubeadm's own that can be switched. Its name is a literal.
struct FeatureGate {
  std::string_view name;
  bool default_value;
  GateStage stage;
};

inline constexpr std::string_view kControlPlaneKubeletLocalMode = "ControlPlaneKubeletLocalMode";
inline constexpr std::string_view kNodeLocalCriSocket = "NodeLocalCRISocket";
inline constexpr std::string_view kPublicKeysEcdsa = "PublicKeysECDSA";

// What becomes of the Node's annotation kubeadm.alpha.kubernetes.io/cri-socket, where older
// releases kept the socket of a node's container runtime.
enum class SocketAnnotation {
  kByGate,   // set while NodeLocalCRISocket is off, else taken off by an upgrade
  kRemoved,  // taken off by an upgrade
  kUnused,   // neither read nor written
};

// Release is a row; its texts and gates are literals. `minor` is that of Kubernetes 1.x.
struct Release {
  int minor;
  std::string_view version;  // the newest patch that this program was held against, "v1.37.2"

  // Tags of the images beside Kubernetes' own.
  std::string_view etcd;
  std::string_view core_dns;
  std::string_view pause;

  // The gates that a ClusterConfiguration of this minor may name, sorted.
  std::span<const FeatureGate> gates;

  // The mode that a KubeProxyConfiguration without one gets; "" leaves it to kube-proxy.
  std::string_view kube_proxy_mode;

  // kube-controller-manager mounts the directory of flexvolume plugins.
  bool flex_volumes;
  // An etcd before 3.6 gets the names that its flags had then.
  bool etcd_before_3_6;
  // The kubelet is told its pause image by --pod-infra-container-image (kubelets since 1.35 refuse
  // to start with it).
  bool pod_infra_flag;
  SocketAnnotation socket_annotation;
  // etcd.external has the field httpEndpoints.
  bool http_endpoints;
  // The kubelet that is announced to need a container runtime with the call RuntimeConfig, "1.38";
  // "" when the release did not yet speak of one.
  std::string_view needs_runtime_config;
  // Its kubelet does not start on version 1 of control groups, unless it is told to (KEP-5573).
  bool refuses_cgroup_v1;
  // The controller manager has device-taint-eviction-controller, with an account of its own.
  bool evicts_from_tainted_devices;

  // The organization in the API server's client certificate for kubelets; "" for none. Without
  // one, a ClusterRoleBinding of its user gives it its rights.
  std::string_view kubelet_client_group;

  // FindGate is null for a name that this minor does not know.
  const FeatureGate* FindGate(std::string_view name) const;
};

// All are the minors that this program deploys and upgrades to, from the oldest to the newest,
// without a gap.
std::span<const Release> All();
const Release& Newest();

// For is the row of a version ("v1.36.3", "1.36.0-rc.1"). A version that is newer or older than all
// rows gets the nearest; a text that is not a version the newest.
const Release& For(std::string_view version);
const Release& For(const base::Version& version);

// Covers tells whether there is a row for the version's own minor.
bool Covers(const base::Version& version);

// OldestSupported is the first version of the oldest row: "1.34.0". Pre-releases of it are older.
base::Version OldestSupported();
// OldestKubelet is the oldest kubelet that works with a control plane: three minors back
// (Kubernetes' version skew policy).
base::Version OldestKubelet(const base::Version& control_plane);

// SupportedRange is "v1.34 to v1.37", for messages.
std::string SupportedRange();

}  // namespace releases
