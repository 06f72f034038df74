// SPDX-License-Identifier: Apache-2.0
// The running versions of a cluster (reference: upgrade-reset.md §2).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/version.h"
#include "kube/client.h"

namespace control_plane {

// The version of one node.
struct NodeVersion {
  std::string node;
  std::string version;  // "v1.35.4"
  bool operator==(const NodeVersion&) const = default;
};

// The versions in a cluster. Lists are in the order of versions, then of nodes.
struct Running {
  // The version of the newest API server, according to the mirror Pods. If a control-plane node has
  // no mirror Pod of its API server, the answer of /version counts, too.
  base::Version cluster;
  std::vector<NodeVersion> kubelets;
  // Maps a component ("kube-apiserver", "etcd") to the image tags of its mirror Pods on
  // control-plane nodes. On a node without the component's mirror Pod, a Pod that a user has
  // created counts (objects::IsPodOf). A node without either is left out.
  std::map<std::string, std::vector<NodeVersion>, std::less<>> static_pods;
  std::optional<std::string> core_dns;  // the tag of its image, "v1.14.2"
};

// Collects the versions from the cluster. Throws base::Error(kInvalid) if the image of an API
// server on a control-plane node has a tag that is not a version. Throws the errors of
// kube::Client.
Running CollectRunning(kube::Client& client);

// Returns the API server's version (gitVersion of GET /version). Throws base::Error(kInvalid) for
// an unreadable version, and the errors of kube::Client.
base::Version CollectApiServerVersion(kube::Client& client);

// Lists the kubelets of all nodes, in the order of the nodes' names. Throws base::Error(kInvalid)
// for an unreadable version, and the errors of kube::Client.
std::vector<NodeVersion> CollectKubeletVersions(kube::Client& client);

// Returns the tag of an image "registry/name:tag@digest", with "+" in place of "_". Returns "" for
// an image without a tag, even if it has a digest.
std::string ImageTag(const std::string& image);

// Returns a sentence about API servers of several versions; std::nullopt if they agree.
std::optional<std::string> MixedVersions(const Running& running);

// Returns the nodes, other than `node`, whose API server has another image than `image`.
std::vector<std::string> NodesBehind(kube::Client& client, const std::string& node,
                                     const std::string& image);

}  // namespace control_plane
