// SPDX-License-Identifier: Apache-2.0
// Health gate between two hops.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/version.h"
#include "host/clock.h"
#include "kube/client.h"
#include "kube/wait.h"
#include "upgrade/policy.h"
#include "upgrade/running.h"

namespace upgrade_path {

// The conditions and limits of WaitForHop. References must outlive it.
struct HopGate {
  kube::Client& client;
  host::Clock& clock;
  std::string node;
  std::string version;  // the control plane's new version: "v1.35.4"
  std::chrono::milliseconds limit;
  // Probes of each component of the node, and other conditions. The condition Ready of a Pod is not
  // used, because its kubelet updates it only every ten seconds during the start.
  std::vector<kube::Probe> probes;
  // A kubelet of another minor version restarts the static Pods' containers soon after it has
  // become Ready. This function returns true until that restart; empty: no restart is expected.
  // After the time `steady` in good health, the wait no longer expects one.
  std::function<bool()> old_containers_run = {};
  std::chrono::milliseconds steady{0};
  std::stop_token stop = {};
};

// Waits until the API server is ready, including etcd, all probes succeed and the node is Ready.
// Throws base::Error(kTimeout) with the last failure.
void WaitForHop(const HopGate& gate);

// Throws base::Error(kInvalid), with instructions for each node, if API servers or kubelets must be
// upgraded before a node's control plane goes to `next`. --force overrides the error for kubelets.
void RequireFollowers(const upgrade::Running& now, const base::Version& next, upgrade::Force force);

}  // namespace upgrade_path
