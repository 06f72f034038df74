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

// The node, and what the cluster has of it.
struct WithdrawalFacts {
  std::string node;
  std::chrono::sys_seconds now{};
  bool exists = false;         // its Node object
  bool control_plane = false;  // it has the keys of the CAs
  bool withdrawn = false;
  bool only_bound_tokens = false;
  std::vector<node_identities::TokenBinding> bindings;  // of tokens to this node
  // Its member of etcd; std::nullopt without one, and where etcd is external.
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

// Reads the cluster and this node's manifests. `resumes`: an earlier run may have removed the
// member of etcd. Throws base::Error: kInvalid for a malformed name and for this node itself;
// kNotFound if the cluster has neither the Node nor a member of etcd, nor a binding or withdrawal
// of that name; with the server's kind otherwise.
WithdrawalFacts CollectFacts(const std::string& node, bool resumes,
                             const WithdrawalSources& sources);

// Returns the validity in the arguments of kube-controller-manager's Pod, a year by default.
// `pod`: std::nullopt without a manifest.
std::chrono::seconds SigningValidity(const std::optional<json::Value>& pod);

}  // namespace withdrawal
