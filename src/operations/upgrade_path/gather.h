// SPDX-License-Identifier: Apache-2.0
// Collects the facts of a path's plan from the cluster and this node.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/feature_gates.h"
#include "config/load.h"
#include "host/host.h"
#include "json/fwd.h"
#include "kube/client.h"
#include "kubelet/unit.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// The inputs of CollectPathFacts.
struct CollectRequest {
  host::Host& host;
  kube::Client& client;
  const config::Init& config;          // of the cluster, with defaults
  const config::StoredConfig& stored;  // the cluster's configuration as stored
  base::Version wanted;
  // The versions of the user's kubelet programs; std::nullopt if none were given.
  std::optional<std::vector<base::Version>> own_kubelets = {};
  bool kubelet_command = false;
  bool upgrades_etcd = true;        // --etcd-upgrade
  bool renews_certificates = true;  // --certificate-renewal
  host::fs::path patches = {};      // the directory of this node's patches; "" for none
};

// Collects the facts. Throws the errors of kube::Client if the cluster's running versions are
// unavailable. Other missing facts become findings (PathFacts::unseen).
PathFacts CollectPathFacts(const CollectRequest& request);

// Adds the arguments and feature gates that a release may refuse, from the cluster's configuration
// and from this node's files. Does not query the cluster.
void CollectSettings(const config::ClusterConfiguration& cluster, const host::Files& files,
                     PathFacts& facts);

// Parses the text of /metrics. Returns the rows of the metric apiserver_requested_deprecated_apis
// that name the release which removes the API. Rows with the value 0 are left out.
std::vector<RequestedApi> RequestedApis(std::string_view metrics);

// Converts the feature gates of a component's arguments to settings with the place `where`.
std::vector<Setting> GateSettings(const std::string& where,
                                  std::span<const config::ComponentGate> gates);

// Returns the feature gates in a component's configuration; an empty list without any.
std::vector<Setting> GatesOfConfig(const std::string& where, const json::Value& config);

// Returns the arguments "--a=b" and "--c d" of a command line. Their names have the form of
// config::NormalizedFlag.
std::vector<Setting> ArgumentsOf(std::span<const kubelet::Word> words);

}  // namespace upgrade_path
