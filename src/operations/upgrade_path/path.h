// SPDX-License-Identifier: Apache-2.0
// The upgrade path of a cluster over several minor versions, one after the other: its hops, the
// kubelets that must follow at each hop, and the settings that the path would break. Pure: facts
// in, plan out (version skew: kubernetes.io/releases/version-skew-policy).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/version.h"
#include "checks/finding.h"
#include "components/strays.h"
#include "config/types.h"
#include "releases/dropped.h"
#include "upgrade/policy.h"

namespace upgrade_path {

// An argument or feature gate, with its place.
struct Setting {
  std::string where;  // "apiServer.extraArgs", "ConfigMap \"kubelet-config\"", a file
  std::string name;
  std::string value;
  // The place in which the user edits a setting of the control plane: a ConfigMap, or a directory
  // of patches.
  std::string edit = "ConfigMap \"kubeadm-config\"";
};

// A row of the API server's metric apiserver_requested_deprecated_apis. A client has requested this
// resource since the API server started.
struct RequestedApi {
  std::string resource;  // "flowschemas.flowcontrol.apiserver.k8s.io/v1beta3"
  int removed_minor;     // the first minor version of Kubernetes that does not serve the resource
};

// Objects of an API version that a later release cannot read.
struct StoredObjects {
  std::string resource;  // "workloads"
  releases::ApiVersion api;
  std::size_t count;  // a lower bound
};

// A version in which objects of a custom resource are stored, although the CustomResourceDefinition
// does not serve this version.
struct HiddenVersion {
  std::string definition;  // "widgets.example.org"
  std::string version;     // "v1alpha1"
};

// A range of IDs, from /etc/subuid or /etc/subgid, that the user "kubelet" may use for user
// namespaces.
struct IdRange {
  std::string where;
  std::uint64_t start;
  std::uint64_t count;
};

// The versions of etcd or CoreDNS. Hops upgrade both together with the control plane.
struct Companion {
  // The tag in the configuration. "" if the tag of the release is used.
  std::string pinned = {};
  std::string runs = {};  // the present tag; "": unknown
  // The reason why hops do not change the component: "external", "stays" or "disabled". "" if hops
  // change it.
  std::string left = {};
};

// The inputs of a plan.
struct PathFacts {
  std::string node;  // this node's name
  base::Version wanted;
  base::Version cluster;                            // the newest API server's
  std::vector<control_plane::NodeVersion> servers;  // the API servers, each on its node
  std::vector<control_plane::NodeVersion> kubelets;
  // The version of an interrupted `upgrade apply` on this node.
  std::optional<base::Version> cut_off = {};
  std::string stored_api = {};  // of the stored ClusterConfiguration: "kubeadm.k8s.io/v1beta4"
  upgrade::Unstable allowed = {};
  Companion etcd = {};
  Companion core_dns = {};
  std::optional<std::string> corefile = {};   // of CoreDNS; std::nullopt if there is none
  std::set<std::string> ignored_checks = {};  // of preflight, in lower case
  std::vector<Setting> api_server_arguments = {};
  std::vector<Setting> etcd_arguments = {};
  // The feature gates of the control plane, and those of the kubelets. The values are "true" or
  // "false".
  std::vector<Setting> gates = {};
  std::vector<Setting> kubelet_gates = {};
  // Arguments of this node's kubelet, in files that no upgrade changes.
  std::vector<Setting> kubelet_arguments = {};
  // Settings in the environment variable GODEBUG: of the control plane's Pods and its addons, and
  // of this node's kubelet.
  std::vector<Setting> control_plane_godebug = {};
  std::vector<Setting> kubelet_godebug = {};
  std::vector<IdRange> id_ranges = {};  // of this node
  // encryptionAlgorithm of the certificates that each hop renews; "" if none renews any.
  std::string renewed_keys = {};
  std::vector<control_plane::NodeVersion> etcd_members = {};  // their image tags
  std::vector<RequestedApi> requested = {};
  std::vector<StoredObjects> objects = {};
  std::vector<HiddenVersion> hidden = {};
  std::vector<components::Stray> strays = {};  // of this node
  std::vector<std::string> unseen = {};        // unreadable facts, with the reason
  // The versions of the user's kubelet programs for this node; std::nullopt if its kubelet is not
  // upgraded.
  std::optional<std::vector<base::Version>> own_kubelets = {};
  // True if a command of the user upgrades this node's kubelet. The command can install any
  // version.
  bool kubelet_command = false;
};

// One upgrade of the control plane.
struct Hop {
  base::Version version;
  // Etcd's tag after the hop, or Companion::left.
  std::string etcd = {};
  std::string core_dns = {};  // like `etcd`
  // The version to which this node's kubelet is upgraded once the hop's control plane serves.
  // std::nullopt if the hop does not change the kubelet.
  std::optional<base::Version> own_kubelet = {};
  // The kubelets whose present version is too old for this hop. This node's kubelet is left out if
  // the path upgrades it.
  std::vector<control_plane::NodeVersion> kubelets_first = {};
};

// A planned path. If it has no hops, the cluster already has the target version.
struct PathPlan {
  base::Version from;
  std::vector<Hop> hops;
  // Set if an interrupted run has completed everything except the upgrade of this node's kubelet:
  // the version for this kubelet.
  std::optional<base::Version> kubelet_only = {};
  // The kubelets that are older than the target after the last hop.
  std::vector<control_plane::NodeVersion> kubelets_behind;
  // The findings that the user sees before the first hop, in the order of the hops. `subject` is
  // the minor version ("v1.36"), `what` a whole sentence. An error means that the hop would fail or
  // lose data.
  checks::Findings findings;
};

// Plans the path. Throws base::Error(kInvalid) for a version that no path reaches: it is older than
// the cluster, belongs to no release in the table, or is further than the first hop allows. Also
// throws kInvalid if the policy always refuses the version (upgrade::JudgeVersion). If --force
// overrides a refusal of the policy, the refusal is a finding.
PathPlan PlanPath(const PathFacts& facts);

// Chooses from `given` the kubelet version for a node with this control plane: the newest version
// of the same minor version that is not newer than the control plane. Returns std::nullopt if
// `given` has no such version.
std::optional<base::Version> FollowingKubelet(const std::vector<base::Version>& given,
                                              const base::Version& control_plane);

// Returns the API servers that must be upgraded (`upgrade node`) before another API server is
// upgraded to `next`. Versions of API servers may differ by one minor version at most.
std::vector<control_plane::NodeVersion> ServersBehind(
    const std::vector<control_plane::NodeVersion>& servers, const base::Version& next);

// Returns the kubelets that are too old for a control plane of that version.
std::vector<control_plane::NodeVersion> KubeletsBehind(
    const std::vector<control_plane::NodeVersion>& kubelets, const base::Version& control_plane);

}  // namespace upgrade_path
