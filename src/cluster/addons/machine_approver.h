// SPDX-License-Identifier: Apache-2.0
// The approver of kubelets' serving certificates as an addon (docs/approver.md): a Deployment on
// the control-plane nodes, and no more rights than it uses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/types.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace addons {

// ApproverProgram is what the Pod runs: an image's own program, or without an image that of the
// node, which is linked statically, in the image that every node has for its Pods' sandboxes.
struct ApproverProgram {
  std::optional<std::string> image;
  std::string path;                        // of the node's program
  std::vector<std::string> allowed_cidrs;  // config::KubeletServingCerts
};

json::Value ApproverDeployment(const config::Init& config, const ApproverProgram& program);

// ApproverManifests are all objects, in the order in which they are applied.
std::vector<json::Value> ApproverManifests(const config::Init& config,
                                           const ApproverProgram& program);

// ApplyApprover writes them. The Lease and the ConfigMap of nodes' addresses are left alone where
// they are there: the approver may write these two, and may make none.
void ApplyApprover(kube::Client& client, const config::Init& config,
                   const ApproverProgram& program);

}  // namespace addons
