// SPDX-License-Identifier: Apache-2.0
// Whether a cluster is fit for the next hop.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/version.h"
#include "host/clock.h"
#include "json/value.h"
#include "kube/client.h"
#include "upgrade/running.h"

namespace upgrade_path {

// HopTrouble says what is not yet as it has to be after a hop: a static Pod of the node that is not
// Ready or of another version than `version` ("v1.35.4"), the node not Ready. `pods` are those of
// the control plane on the node. Nothing: all is well.
std::optional<std::string> HopTrouble(const std::vector<json::Value>& pods, const json::Value& node,
                                      const std::string& version);

// HopGate is what WaitForHop waits for, and how long. References outlive it.
struct HopGate {
  kube::Client& client;
  host::Clock& clock;
  std::string node;
  std::string version;
  std::chrono::milliseconds limit;
  // For so long everything must have been well: a kubelet of another minor version starts the
  // static Pods' containers again soon after it has said that it is Ready.
  std::chrono::milliseconds steady{0};
  std::stop_token stop = {};
};

// WaitForHop waits until the API server is ready, etcd with it, and HopTrouble finds nothing.
// Throws base::Error(kTimeout) with the last trouble.
void WaitForHop(const HopGate& gate);

// RequireFollowers throws base::Error(kInvalid), with what to do on which nodes, when API servers
// or kubelets have to be upgraded before the control plane of a node goes to `next`.
void RequireFollowers(const upgrade::Running& now, const base::Version& next);

}  // namespace upgrade_path
