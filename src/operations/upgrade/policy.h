// SPDX-License-Identifier: Apache-2.0
// The version policy of upgrades (reference: upgrade-reset.md §1; Kubernetes' version skew policy,
// kubernetes.io/releases/version-skew-policy).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/version.h"
#include "checks/finding.h"
#include "kube/client.h"

namespace upgrade {

// The version of one node.
struct NodeVersion {
  std::string node;
  std::string version;  // "v1.35.4"
  bool operator==(const NodeVersion&) const = default;
};

// The pre-releases that the user wants to allow.
struct Unstable {
  bool experimental = false;        // --allow-experimental-upgrades: any
  bool release_candidates = false;  // --allow-release-candidate-upgrades: "rc" only
};

// The facts of the policy. Unknown ones contain the reason.
struct PolicyFacts {
  base::Version wanted;
  std::expected<base::Version, std::string> api_server;
  base::Version kubeadm;
  std::expected<std::vector<NodeVersion>, std::string> kubelets;
  Unstable allowed = {};
};

// Returns the findings about the version, in the order of the rules. All are errors; --force skips
// the ignorable ones.
checks::Findings JudgeVersion(const PolicyFacts& facts);

// Formats one finding a line, for users.
std::string ListComplaints(const checks::Findings& findings);

// Throws base::Error(kInvalid) with the findings about `version` ("v1.36.3"), if there are any.
// With --force it throws only for errors that --force does not override.
enum class Force { kNo, kYes };
void RequireAllowed(const checks::Findings& findings, const std::string& version, Force force);

// Queries the cluster for the versions of its API server and its kubelets. Never throws: a failure
// is recorded in the result.
PolicyFacts CollectPolicyFacts(kube::Client& client, const base::Version& wanted,
                               const Unstable& allowed);

// Returns the API server's version (gitVersion of GET /version). Throws base::Error(kInvalid) for
// an unreadable version; otherwise with the client's kind.
base::Version ApiServerVersion(kube::Client& client);

// Lists the kubelets of all nodes, in the order of the nodes' names. Throws base::Error(kInvalid)
// for an unreadable version, or with the client's kind.
std::vector<NodeVersion> Kubelets(kube::Client& client);

}  // namespace upgrade
