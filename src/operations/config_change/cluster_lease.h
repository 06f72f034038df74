// SPDX-License-Identifier: Apache-2.0
// The Lease that lets the nodes of a control plane change only one after the other.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/show_line.h"
#include "base/threads.h"
#include "config/load.h"
#include "host/host.h"
#include "kube/client.h"
#include "kube/leader_election.h"

namespace config_change {

// Holds the Lease kube-system/kubeadm-config-apply during its lifetime. Client and host must
// outlive it.
class ClusterLease {
 public:
  // Waits until no other node holds the Lease; logs the holder once. Throws base::Interrupted. If
  // the API server has not answered for a minute, throws its last error.
  ClusterLease(kube::Client& client, host::Host& host, const std::string& node, base::ShowLine say);
  ~ClusterLease();
  ClusterLease(const ClusterLease&) = delete;
  ClusterLease& operator=(const ClusterLease&) = delete;

 private:
  void OnTrouble(const base::Error& error, const std::string& text);

  host::Clock& clock_;
  base::ShowLine say_;
  std::atomic<bool> held_ = false;
  // Set while requests for the Lease fail.
  std::optional<std::chrono::steady_clock::time_point> failing_since_;
  kube::LeaderElector elector_;
  std::optional<base::Threads> renewal_;
};

// Throws base::Error(kConflict) if the cluster's stored configuration differs from `planned`.
// `planned` is the configuration for which this node made its plan, before it took the Lease.
void RequireStored(const config::StoredConfig& planned, kube::Client& client);

}  // namespace config_change
