// SPDX-License-Identifier: Apache-2.0
// The operator of ClusterOperations as an addon (docs/fleet.md): the objects of deploy/fleet.
#pragma once

#include <string>
#include <vector>

#include "config/extension.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace addons {

// The images of the operator and of its Jobs.
struct FleetImages {
  std::string slipway_operator;  // has /usr/bin/slipway-operator
  std::string kubeadm;           // has /usr/bin/kubeadm
};

// Returns the images of an enabled operator. Throws base::Error(kInvalid) if one is not set.
FleetImages RequireFleetImages(const config::Fleet& fleet);

// Returns all objects, in the order in which they are applied. They are the objects of
// deploy/fleet, with these images.
std::vector<json::Value> FleetManifests(const FleetImages& images);

// Applies all objects (ApplyManifests).
void ApplyFleet(kube::Client& client, const FleetImages& images);

}  // namespace addons
