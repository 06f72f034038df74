// SPDX-License-Identifier: Apache-2.0
// The way of a cluster over several minor versions, one after the other: which hops there are,
// which kubelets have to follow when, and what would break on the way. Pure: facts in, plan out
// (version skew: kubernetes.io/releases/version-skew-policy).
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

// Setting is something set somewhere: an argument, or a feature gate.
struct Setting {
  std::string where;  // "apiServer.extraArgs", "ConfigMap \"kubelet-config\"", a file
  std::string name;
  std::string value;
};

// RequestedApi is a row of the API server's metric apiserver_requested_deprecated_apis: somebody
// has used the resource since that server started.
struct RequestedApi {
  std::string resource;  // "flowschemas.flowcontrol.apiserver.k8s.io/v1beta3"
  int removed_minor;     // the minor of Kubernetes 1.x that does not serve it
};

// StoredObjects are objects of an API version that a later release cannot read.
struct StoredObjects {
  std::string resource;  // "workloads"
  releases::ApiVersion api;
  std::size_t count;  // at least so many
};

// HiddenVersion is a version in which objects of a custom resource are stored that it does not
// serve.
struct HiddenVersion {
  std::string definition;  // "widgets.example.org"
  std::string version;     // "v1alpha1"
};

// IdRange is one that the user kubelet may use for user namespaces, of /etc/subuid or /etc/subgid.
struct IdRange {
  std::string where;
  std::uint64_t start;
  std::uint64_t count;
};

// Companion is etcd or CoreDNS, which an upgrade brings along.
struct Companion {
  std::string pinned = {};  // the tag that the configuration chooses; "": the release's counts
  std::string runs = {};    // the tag here and now; "": it is not known
  // Why no hop touches it, in a word: "external", "stays", "disabled"; "": hops do.
  std::string left = {};
};

// PathFacts are all that a plan is made of.
struct PathFacts {
  std::string node;  // this node's name
  base::Version wanted;
  base::Version cluster;                      // the newest API server's
  std::vector<upgrade::NodeVersion> servers;  // the API servers, each on its node
  std::vector<upgrade::NodeVersion> kubelets;
  // The version to which `upgrade apply` was begun on this node and cut off.
  std::optional<base::Version> cut_off = {};
  std::string stored_api = {};  // of the stored ClusterConfiguration: "kubeadm.k8s.io/v1beta4"
  upgrade::Unstable allowed = {};
  Companion etcd = {};
  Companion core_dns = {};
  std::optional<std::string> corefile = {};   // that CoreDNS reads; nothing when there is none
  std::set<std::string> ignored_checks = {};  // of preflight, in lower case
  std::vector<Setting> api_server_arguments = {};
  std::vector<Setting> etcd_arguments = {};
  // Gates have the value "true" or "false": those that go with the control plane, and kubelets'.
  std::vector<Setting> gates = {};
  std::vector<Setting> kubelet_gates = {};
  std::vector<Setting> kubelet_arguments = {};  // of this node, where no upgrade takes them out
  // Settings of the environment variable GODEBUG: of the control plane's Pods, of this kubelet.
  std::vector<Setting> control_plane_godebug = {};
  std::vector<Setting> kubelet_godebug = {};
  std::vector<IdRange> id_ranges = {};                  // of this node
  std::vector<upgrade::NodeVersion> etcd_members = {};  // their image tags
  std::vector<RequestedApi> requested = {};
  std::vector<StoredObjects> objects = {};
  std::vector<HiddenVersion> hidden = {};
  std::vector<components::Stray> strays = {};  // of this node
  std::vector<std::string> unseen = {};        // what of that could not be looked at, and why
  // Kubelets that the user has given for this node; nothing where it does not go along.
  std::optional<std::vector<base::Version>> own_kubelets = {};
  // A command brings this node's kubelet to any version.
  bool kubelet_command = false;
};

// Hop is one upgrade of the control plane.
struct Hop {
  base::Version version;
  std::string etcd = {};      // the tag that runs afterwards, or Companion::left
  std::string core_dns = {};  // the same
  // This node's kubelet follows, once the control plane serves; nothing: it stays what it is.
  std::optional<base::Version> own_kubelet = {};
  // Kubelets that are too old for this hop as they are now. This node's is not among them when it
  // goes along.
  std::vector<upgrade::NodeVersion> kubelets_first = {};
};

// PathPlan: without hops the cluster is where it is to go.
struct PathPlan {
  base::Version from;
  std::vector<Hop> hops;
  // This node's kubelet, when it alone is still to follow: a run was cut off before it did.
  std::optional<base::Version> kubelet_only = {};
  std::vector<upgrade::NodeVersion> kubelets_behind;  // at the end, those older than the target
  // What the user has to know before the first hop, in the order of the hops. The subject is the
  // minor version ("v1.36"), `what` a whole sentence. An error: the hop would fail, or lose data.
  checks::Findings findings;
};

// PlanPath throws base::Error(kInvalid) for a version that no way leads to: older than the cluster,
// of no release in the table, from a cluster that is too old for the first hop, or one that the
// policy never lets pass (upgrade::JudgeVersion). What --force passes of the policy is a finding.
PathPlan PlanPath(const PathFacts& facts);

// FollowingKubelet is the one of `given` that follows a control plane: the newest of its minor
// version that is not newer than it; nothing when there is none.
std::optional<base::Version> FollowingKubelet(const std::vector<base::Version>& given,
                                              const base::Version& control_plane);

// ServersBehind are the API servers that have to be upgraded (`upgrade node`) before another goes
// to `next`: servers differ by one minor version at most.
std::vector<upgrade::NodeVersion> ServersBehind(const std::vector<upgrade::NodeVersion>& servers,
                                                const base::Version& next);

// KubeletsBehind are the kubelets that are too old for a control plane of that version.
std::vector<upgrade::NodeVersion> KubeletsBehind(const std::vector<upgrade::NodeVersion>& kubelets,
                                                 const base::Version& control_plane);

}  // namespace upgrade_path
