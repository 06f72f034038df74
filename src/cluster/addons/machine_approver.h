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

// The program of the Pod: an image's own, or without an image the node's statically linked one, in
// the image that every node has for its Pods' sandboxes.
struct ApproverProgram {
  std::optional<std::string> image;
  std::string path;                        // of the node's program
  std::vector<std::string> allowed_cidrs;  // config::KubeletServingCerts
};

json::Value ApproverDeployment(const config::Init& config, const ApproverProgram& program);

// Returns all objects, in the order in which they are applied.
std::vector<json::Value> ApproverManifests(const config::Init& config,
                                           const ApproverProgram& program);

// Applies them. An existing Lease and ConfigMap of nodes' addresses are left alone: the approver
// may write these two, and may create neither.
void ApplyApprover(kube::Client& client, const config::Init& config,
                   const ApproverProgram& program);

}  // namespace addons
