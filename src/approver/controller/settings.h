// SPDX-License-Identifier: Apache-2.0
// The settings of an approver at its start.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inventories/options.h"
#include "judgement/facts.h"
#include "kube/client.h"

namespace controller {

// The Lease and its timeouts (kube/leader_election.h).
struct LeaderSettings {
  bool elect = true;
  std::chrono::milliseconds lease_duration{137'000}, renew_deadline{107'000}, retry_period{26'000};
  std::string name, name_space, identity;
};

// The controller's settings from flags and files.
struct Settings {
  judgement::Policy policy;
  inventories::InventoryOptions inventories;
  LeaderSettings leader;
  // The ConfigMap with the CA of kubelets' serving certificates, in key ca-bundle.crt. A user who
  // may write this ConfigMap decides which certificates attest their own renewal. If it is not set,
  // a certificate cannot attest its renewal.
  std::optional<inventories::ConfigMapRef> renewal_ca;
  // The API of Machines that the cluster must serve for the default CA to be trusted. A cluster
  // without this API does not protect the CA's namespace.
  std::optional<inventories::GroupVersion> renewal_ca_needs;
  std::size_t workers = 8;
  // Keeps the status of ClusterOperator machine-approver up to date.
  bool keep_status = true;
  // Shadow mode: judges requests and compares the verdicts, but writes no object
  // (controller/shadow.h).
  bool shadow = false;
  // Appends a line to the audit log; not set: no audit log.
  std::function<void(std::string_view line)> audit_sink = {};
  std::string release_version;  // "" counts as "unknown"
  std::chrono::milliseconds dial_timeout{5'000};
  // A watch that receives no data for this time, not even a bookmark, is restarted. This time is
  // therefore the maximum age of facts that are not read live before an approval
  // (docs/threat-model-approver.md).
  std::chrono::milliseconds watch_idle = kube::Call().watch_idle;
};

// The two API servers, which are often the same.
struct Clusters {
  std::shared_ptr<kube::Transport> management;  // Machines
  std::shared_ptr<kube::Transport> workload;    // everything else
  // The URLs of the API servers. No kubelet is dialled at their addresses.
  std::vector<std::string> servers = {};
};

}  // namespace controller
