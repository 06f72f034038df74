// SPDX-License-Identifier: Apache-2.0
// Whether a cluster is fit for the next hop.
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

// HopGate is what WaitForHop waits for, and how long. References outlive it.
struct HopGate {
  kube::Client& client;
  host::Clock& clock;
  std::string node;
  std::string version;  // to which the control plane was brought: "v1.35.4"
  std::chrono::milliseconds limit;
  // What each component of the node has to say for itself, and whatever else must hold. A Pod is
  // not asked whether it is Ready: its kubelet looks for that only every ten seconds while it
  // starts.
  std::vector<kube::Probe> probes;
  // A kubelet of another minor version starts the static Pods' containers again, soon after it has
  // said that it is Ready. Tells whether it still has not; empty: nothing is going to be started
  // again. All having been well for as long as `steady`, it is not going to.
  std::function<bool()> old_containers_run = {};
  std::chrono::milliseconds steady{0};
  std::stop_token stop = {};
};

// WaitForHop waits until the API server is ready, etcd with it, all probes hold and the node is
// Ready. Throws base::Error(kTimeout) with the last trouble.
void WaitForHop(const HopGate& gate);

// RequireFollowers throws base::Error(kInvalid), with what to do on which nodes, when API servers
// or kubelets have to be upgraded before the control plane of a node goes to `next`. A user may
// force it upon kubelets.
void RequireFollowers(const upgrade::Running& now, const base::Version& next, upgrade::Force force);

}  // namespace upgrade_path
