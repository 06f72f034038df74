// SPDX-License-Identifier: Apache-2.0
// The changes that a configuration file would make to a cluster.
#pragma once

#include <string>
#include <vector>

#include "config/types.h"
#include "json/value.h"

namespace config {

// One field with different values. A null value means that the side does not set the field.
struct Difference {
  std::string kind;  // "ClusterConfiguration"
  std::string path;  // "networking.podSubnet", "scheduler.extraArgs.v"
  json::Value cluster;
  json::Value file;
};

// Compares the parts that nodes share: the ClusterConfiguration, and the configuration of each
// component that the user supplied in `file`. Both arguments must be completed with defaults, so
// that an explicit default is not a difference. Arguments, variables and volumes are compared by
// name: only the order of equal names matters. The result is sorted by kind and path.
std::vector<Difference> Differences(const ClusterConfiguration& cluster,
                                    const ClusterConfiguration& file);

// Returns a text for humans: under each kind, one line for each side of each difference.
std::string TextOf(const std::vector<Difference>& all);

// Returns a ConfigurationDifference of output.slipway/v1alpha1.
json::Ordered ObjectOf(const std::vector<Difference>& all);

}  // namespace config
