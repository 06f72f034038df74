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
  int removed_minor;     // the minor of Kubernetes 1.x that does not serve it
};

// Objects of an API version that a later release cannot read.
struct StoredObjects {
  std::string resource;  // "workloads"
  releases::ApiVersion api;
  std::size_t count;  // a minimum
};

// A version in which objects of a custom resource are stored, although the CustomResourceDefinition
// does not serve this version.
struct HiddenVersion {
  std::string definition;  // "widgets.example.org"
  std::string version;     // "v1alpha1"
};

// A range that the user kubelet may use for user namespaces, of /etc/subuid or /etc/subgid.
struct IdRange {
  std::string where;
  std::uint64_t start;
  std::uint64_t count;
};

// etcd or CoreDNS, which are upgraded with the control plane.
struct Companion {
  std::string pinned = {};  // the configured tag; "": the release's counts
  std::string runs = {};    // the present tag; "": unknown
  // Why hops do not change it, as a word: "external", "stays", "disabled"; "": hops change it.
  std::string left = {};
};

// The inputs of a plan.
struct PathFacts {
  std::string node;  // this node's name
  base::Version wanted;
  base::Version cluster;                      // the newest API server's
  std::vector<upgrade::NodeVersion> servers;  // the API servers, each on its node
  std::vector<upgrade::NodeVersion> kubelets;
  // The version of an interrupted `upgrade apply` on this node.
  std::optional<base::Version> cut_off = {};
  std::string stored_api = {};  // of the stored ClusterConfiguration: "kubeadm.k8s.io/v1beta4"
  upgrade::Unstable allowed = {};
  Companion etcd = {};
  Companion core_dns = {};
  std::optional<std::string> corefile = {};   // of CoreDNS; std::nullopt without one
  std::set<std::string> ignored_checks = {};  // of preflight, in lower case
  std::vector<Setting> api_server_arguments = {};
  std::vector<Setting> etcd_arguments = {};
  // Gates have the value "true" or "false": those of the control plane, and kubelets'.
  std::vector<Setting> gates = {};
  std::vector<Setting> kubelet_gates = {};
  std::vector<Setting> kubelet_arguments = {};  // of this node, in files that no upgrade changes
  // Settings in the environment variable GODEBUG: of the control plane's Pods and its addons, and
  // of this node's kubelet.
  std::vector<Setting> control_plane_godebug = {};
  std::vector<Setting> kubelet_godebug = {};
  std::vector<IdRange> id_ranges = {};  // of this node
  // encryptionAlgorithm of the certificates that each hop renews; "" if none renews any.
  std::string renewed_keys = {};
  std::vector<upgrade::NodeVersion> etcd_members = {};  // their image tags
  std::vector<RequestedApi> requested = {};
  std::vector<StoredObjects> objects = {};
  std::vector<HiddenVersion> hidden = {};
  std::vector<components::Stray> strays = {};  // of this node
  std::vector<std::string> unseen = {};        // unreadable facts, with the reason
  // The user's kubelets for this node; std::nullopt if its kubelet is not upgraded.
  std::optional<std::vector<base::Version>> own_kubelets = {};
  // A command upgrades this node's kubelet to any version.
  bool kubelet_command = false;
};

// One upgrade of the control plane.
struct Hop {
  base::Version version;
  std::string etcd = {};      // the tag that runs afterwards, or Companion::left
  std::string core_dns = {};  // the same
  // The version of this node's kubelet after the hop, when the control plane serves. std::nullopt
  // if the hop does not change the kubelet.
  std::optional<base::Version> own_kubelet = {};
  // The kubelets whose present version is too old for this hop. This node's kubelet is left out if
  // the path upgrades it.
  std::vector<upgrade::NodeVersion> kubelets_first = {};
};

// Without hops the cluster already has the target version.
struct PathPlan {
  base::Version from;
  std::vector<Hop> hops;
  // This node's kubelet, if only its upgrade is left after an interrupted run.
  std::optional<base::Version> kubelet_only = {};
  std::vector<upgrade::NodeVersion> kubelets_behind;  // at the end, those older than the target
  // The findings that the user sees before the first hop, in the order of the hops. `subject` is
  // the minor version ("v1.36"), `what` a whole sentence. An error means that the hop would fail or
  // lose data.
  checks::Findings findings;
};

// Plans the path. Throws base::Error(kInvalid) for a version to which no path leads: it is older
// than the cluster, belongs to no release in the table, or is further than the first hop allows.
// Also throws kInvalid if the policy always refuses the version (upgrade::JudgeVersion). If --force
// overrides a refusal of the policy, the refusal is a finding.
PathPlan PlanPath(const PathFacts& facts);

// Returns the version in `given` for a kubelet on a node with this control plane: the newest
// version with the same minor version that is not newer than the control plane. Returns
// std::nullopt if `given` has no such version.
std::optional<base::Version> FollowingKubelet(const std::vector<base::Version>& given,
                                              const base::Version& control_plane);

// Returns the API servers that must be upgraded (`upgrade node`) before another API server is
// upgraded to `next`. Versions of API servers may differ by one minor version at most.
std::vector<upgrade::NodeVersion> ServersBehind(const std::vector<upgrade::NodeVersion>& servers,
                                                const base::Version& next);

// Returns the kubelets that are too old for a control plane of that version.
std::vector<upgrade::NodeVersion> KubeletsBehind(const std::vector<upgrade::NodeVersion>& kubelets,
                                                 const base::Version& control_plane);

}  // namespace upgrade_path
