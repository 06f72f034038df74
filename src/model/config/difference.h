// SPDX-License-Identifier: Apache-2.0
// What a configuration file would change in a cluster.
#pragma once

#include <string>
#include <vector>

#include "config/types.h"
#include "json/value.h"

namespace config {

// Difference is one field whose value is not the same. null: it is not set there.
struct Difference {
  std::string kind;  // "ClusterConfiguration"
  std::string path;  // "networking.podSubnet", "scheduler.extraArgs.v"
  json::Value cluster;
  json::Value file;
};

// Differences compares what nodes share: the ClusterConfiguration, and each component's
// configuration that the user supplied in `file`. Both are complete, so that a default which is
// written down is not a difference. In order of kind and path. Arguments, variables and volumes are
// compared by name: the order of different names says nothing, that of equal ones does.
std::vector<Difference> Differences(const ClusterConfiguration& cluster,
                                    const ClusterConfiguration& file);

// TextOf is for people: a line for each side of each difference, under its kind.
std::string TextOf(const std::vector<Difference>& all);

// ObjectOf is a ConfigurationDifference of output.slipway/v1alpha1.
json::Ordered ObjectOf(const std::vector<Difference>& all);

}  // namespace config
