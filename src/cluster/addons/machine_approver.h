// SPDX-License-Identifier: Apache-2.0
// The approver of kubelets' serving certificates as an addon (docs/approver.md): a Deployment on
// the control-plane nodes, with only the rights that it uses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/types.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace addons {

// The program that the approver's Pod runs. If `image` is set, it is the program in this image.
// Otherwise it is the node's statically linked program, run in the sandbox (pause) image.
struct ApproverProgram {
  std::optional<std::string> image;
  std::string path;                        // of the node's program
  std::vector<std::string> allowed_cidrs;  // config::KubeletServingCerts
  bool bound_tokens = false;               // the inventory `tokens`
};

json::Value ApproverDeployment(const config::Init& config, const ApproverProgram& program);

// Returns all objects, in the order in which they are applied.
std::vector<json::Value> ApproverManifests(const config::Init& config,
                                           const ApproverProgram& program);

// Applies all objects. Creates the Lease and the ConfigMap of node addresses if they do not exist,
// because the approver may not create objects. Leaves existing ones unchanged, because the approver
// updates them. Throws the errors of kube::Client.
void ApplyApprover(kube::Client& client, const config::Init& config,
                   const ApproverProgram& program);

}  // namespace addons
