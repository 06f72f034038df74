// SPDX-License-Identifier: Apache-2.0
// The health gate between two hops: a wait, and a check of the versions.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/version.h"
#include "control_plane/running.h"
#include "host/clock.h"
#include "kube/client.h"
#include "kube/wait.h"
#include "upgrade/policy.h"

namespace upgrade_path {

// The conditions and limits of WaitForHop. References must outlive it.
struct HopGate {
  kube::Client& client;
  host::Clock& clock;
  std::string node;
  std::string version;  // the control plane's new version: "v1.35.4"
  std::chrono::milliseconds limit;
  // The probes of the node's components, and further conditions. The Ready condition of Pods is not
  // among them, because the kubelet updates it only every ten seconds during a start.
  std::vector<kube::Probe> probes;
  // Returns whether containers that the old kubelet started still run. A kubelet of another minor
  // version restarts the static Pods' containers soon after it has become Ready. If the function
  // returns true, WaitForHop keeps waiting for this restart, until the node has been healthy for
  // `steady`. The function is empty if no restart is expected.
  std::function<bool()> old_containers_run = {};
  std::chrono::milliseconds steady{0};
  std::stop_token stop = {};
};

// Waits until the API server and its etcd are ready, all probes succeed, and the node is Ready.
// Throws base::Error(kTimeout) with the last failure.
void WaitForHop(const HopGate& gate);

// Throws base::Error(kInvalid), with instructions for each node, if API servers or kubelets must be
// upgraded before a control plane is upgraded to `next`. --force overrides the error for kubelets.
void RequireFollowers(const control_plane::Running& now, const base::Version& next,
                      upgrade::Force force);

}  // namespace upgrade_path
