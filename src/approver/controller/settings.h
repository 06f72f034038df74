// SPDX-License-Identifier: Apache-2.0
// What an approver is told at its start.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inventories/options.h"
#include "judgement/facts.h"
#include "kube/client.h"

namespace controller {

// LeaderSettings name the Lease and how patiently it is held (kube/leader_election.h).
struct LeaderSettings {
  bool elect = true;
  std::chrono::milliseconds lease_duration{137'000}, renew_deadline{107'000}, retry_period{26'000};
  std::string name, name_space, identity;
};

// Settings are what the controller is told by flags and files.
struct Settings {
  judgement::Policy policy;
  inventories::InventoryOptions inventories;
  LeaderSettings leader;
  // The CA of certificates that kubelets serve, key ca-bundle.crt: whoever may write it decides
  // which certificates renew themselves. Without it none do.
  std::optional<inventories::ConfigMapRef> renewal_ca;
  // The Machines that must be served for that CA to count, where nobody named it: on a cluster
  // without them nobody guards its namespace.
  std::optional<inventories::GroupVersion> renewal_ca_needs;
  std::size_t workers = 8;
  bool keep_status = true;      // the ClusterOperator
  std::string release_version;  // "" counts as "unknown"
  std::chrono::milliseconds dial_timeout{5'000};
  // A watch over which nothing came for so long, not even a bookmark, is restarted: what nobody
  // reads live before an approval is at most this old (docs/threat-model-approver.md).
  std::chrono::milliseconds watch_idle = kube::Call().watch_idle;
};

// Clusters are the two API servers; often one.
struct Clusters {
  std::shared_ptr<kube::Transport> management;  // Machines
  std::shared_ptr<kube::Transport> workload;    // everything else
  std::vector<std::string> servers = {};        // URLs at which they are reached: no kubelet's
};

}  // namespace controller
