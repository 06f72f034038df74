// SPDX-License-Identifier: Apache-2.0
// The version policy of upgrades (reference: upgrade-reset.md §1; Kubernetes' version skew policy,
// kubernetes.io/releases/version-skew-policy).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/version.h"
#include "checks/finding.h"
#include "control_plane/running.h"
#include "kube/client.h"

namespace upgrade {

// The pre-releases that the user wants to allow.
struct Unstable {
  bool experimental = false;        // --allow-experimental-upgrades: any
  bool release_candidates = false;  // --allow-release-candidate-upgrades: only "rc"
};

// The facts of the policy. An unknown fact contains the reason instead.
struct PolicyFacts {
  base::Version wanted;
  std::expected<base::Version, std::string> api_server;
  base::Version kubeadm;
  std::expected<std::vector<control_plane::NodeVersion>, std::string> kubelets;
  Unstable allowed = {};
};

// Returns the findings about the version, in the order of the rules. All findings are errors.
// --force skips those that are ignorable.
checks::Findings JudgeVersion(const PolicyFacts& facts);

// Formats the findings for users, one per line.
std::string ListComplaints(const checks::Findings& findings);

// Represents the flag --force.
enum class Force { kNo, kYes };

// Throws base::Error(kInvalid) with the findings about `version` ("v1.36.3"), if there are any.
// With --force it throws only for errors that --force does not override.
void RequireAllowed(const checks::Findings& findings, const std::string& version, Force force);

// Queries the cluster for the versions of its API server and its kubelets. Never throws: a failure
// is recorded in the result.
PolicyFacts CollectPolicyFacts(kube::Client& client, const base::Version& wanted,
                               const Unstable& allowed);

}  // namespace upgrade
