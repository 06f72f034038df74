// SPDX-License-Identifier: Apache-2.0
// Whether a cluster is fit for the next hop.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/version.h"
#include "host/clock.h"
#include "json/value.h"
#include "kube/client.h"
#include "kube/wait.h"
#include "upgrade/running.h"

namespace upgrade_path {

// HopTrouble says what is not yet as it has to be after a hop: a static Pod of the node that does
// not run or is of another version than `version` ("v1.35.4"), the node not Ready. `pods` are those
// of the control plane on the node. Nothing: all is well.
std::optional<std::string> HopTrouble(const std::vector<json::Value>& pods, const json::Value& node,
                                      const std::string& version);

// ContainersOf are the IDs of the Pods' containers, as the cluster knows them.
std::set<std::string> ContainersOf(const std::vector<json::Value>& pods);

// ControlPlanePods are the static Pods of the control plane on a node. Throws base::Error.
std::vector<json::Value> ControlPlanePods(kube::Client& client, const std::string& node);

// HopGate is what WaitForHop waits for, and how long. References outlive it.
struct HopGate {
  kube::Client& client;
  host::Clock& clock;
  std::string node;
  std::string version;
  std::chrono::milliseconds limit;
  // What each component of the node has to say for itself. A Pod is not asked whether it is Ready:
  // its kubelet looks for that only every ten seconds while it starts.
  std::vector<kube::Probe> serving;
  // For so long everything must have been well while one of the containers `before` runs: a kubelet
  // of another minor version starts the static Pods' containers again, once, soon after it has said
  // that it is Ready.
  std::chrono::milliseconds steady{0};
  std::set<std::string> before = {};
  std::stop_token stop = {};
};

// WaitForHop waits until the API server is ready, etcd with it, all serve, and HopTrouble finds
// nothing.
// Throws base::Error(kTimeout) with the last trouble.
void WaitForHop(const HopGate& gate);

// RequireFollowers throws base::Error(kInvalid), with what to do on which nodes, when API servers
// or kubelets have to be upgraded before the control plane of a node goes to `next`.
void RequireFollowers(const upgrade::Running& now, const base::Version& next);

}  // namespace upgrade_path
