// SPDX-License-Identifier: Apache-2.0
// Collects the wanted, the written and the running state of a node. Only reads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "components/table.h"
#include "config/facts.h"
#include "config_change/compare.h"
#include "cri/runtime.h"
#include "host/host.h"
#include "kube/client.h"
#include "node_input/patches.h"
#include "stored_config/this_node.h"

namespace config_change {

// The data sources. References must outlive the collection.
struct Sources {
  host::Host& host;
  kube::Client& client;
  const config::Facts& facts;
  const node_input::PatchSet* patches = nullptr;  // of this node; null: none
  // Connects to this node's container runtime; may throw base::Error of any kind.
  std::function<std::unique_ptr<cri::Runtime>(const std::string& endpoint)> connect_runtime =
      [](const std::string& endpoint) { return cri::Connect(endpoint); };
  bool running = true;  // whether to read this node's processes in addition to files
};

// The collected state.
struct Gathered {
  // The cluster's configuration, completed for this node, at the version that the node runs.
  config::Init config;
  std::string version;  // the version in the cluster's configuration, "v1.36.3"
  std::vector<Component> components;
  std::vector<std::string> notes;
  std::vector<std::string> unseen;
};

// Reads this node: static Pods from their manifests and containers; the kubelet from its files, its
// command line and its API. On a control-plane node it also reads the objects of kube-proxy and
// CoreDNS. If the node's version differs from the cluster's configuration, compares the node with
// the settings of its own version, and adds a note. Throws the errors of kube::Client, and
// base::Error(kInvalid) if the configuration is malformed.
Gathered CollectNode(const Sources& sources);

// Reads all nodes except `here` through the API: their control-plane Pods, and the settings that
// their kubelets report. The patches of other nodes are unknown.
Gathered CollectOthers(const Sources& sources, const Gathered& here);

// Returns the complete static Pod that follows from the configuration for this node.
json::Value PodOf(components::Component component, const Sources& sources,
                  const config::Init& config);

// Returns the complete static Pods that the configuration requires on this node. Leaves out etcd's
// Pod if an upgrade would not change it.
std::vector<Component> Rendered(const Sources& sources, const config::Init& config);

}  // namespace config_change
