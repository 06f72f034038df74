// SPDX-License-Identifier: Apache-2.0
// Facts for the withdrawal of a node that was stolen, sold or lost.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "etcd_maintenance/access.h"
#include "etcd_maintenance/remove.h"
#include "host/host.h"
#include "json/value.h"
#include "kube/client.h"
#include "node_identities/identities.h"

namespace withdrawal {

// The node to withdraw, and its objects in the cluster.
struct WithdrawalFacts {
  std::string node;
  std::chrono::sys_seconds now{};
  bool exists = false;                 // whether its Node object exists
  std::vector<std::string> addresses;  // of its Node object
  bool control_plane = false;          // if true, the node has the keys of the CAs
  bool withdrawn = false;
  bool only_bound_tokens = false;
  std::vector<node_identities::TokenBinding>
      bindings;  // bootstrap tokens that are bound to this node
  // Its member of etcd. std::nullopt if it has no member, or if etcd is external.
  std::optional<etcd_maintenance::RemovalPlan> member;
  // The longest validity of a certificate that kube-controller-manager signs.
  std::chrono::seconds validity{};
};

// Dependencies of CollectFacts. References must outlive the call.
struct WithdrawalSources {
  host::Host& host;
  kube::Client& client;
  // This node's connection to etcd; null: etcd is external.
  const etcd_maintenance::Access* etcd = nullptr;
};

// Reads the cluster and this node's manifests. With `resumes`, an earlier run may have removed the
// etcd member already. Throws base::Error(kInvalid) for a malformed name and for this node's own
// name. Throws kNotFound if the cluster has no Node, etcd member, token binding or withdrawal of
// that name. Throws the errors of kube::Client.
WithdrawalFacts CollectFacts(const std::string& node, bool resumes,
                             const WithdrawalSources& sources);

// Returns the value of --cluster-signing-duration in kube-controller-manager's Pod; a year if the
// Pod does not set it. `pod` is std::nullopt if the manifest does not exist.
std::chrono::seconds SigningValidity(const std::optional<json::Value>& pod);

}  // namespace withdrawal
