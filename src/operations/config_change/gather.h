// SPDX-License-Identifier: Apache-2.0
// Gathering what a node should be, has on disk and runs. Only reads.
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
#include "patches/patches.h"
#include "upgrade/this_node.h"

namespace config_change {

// Sources are what is asked. References outlive the gathering.
struct Sources {
  host::Host& host;
  kube::Client& client;
  const config::Facts& facts;
  const patches::PatchSet* patches = nullptr;  // of this node; null: none
  // Connects to this node's container runtime; may throw base::Error.
  std::function<std::unique_ptr<cri::Runtime>(const std::string& endpoint)> connect_runtime =
      [](const std::string& endpoint) { return cri::Connect(endpoint); };
  bool running = true;  // whether to look at this node's processes, too, and not at files alone
};

// Gathered is what was seen.
struct Gathered {
  config::Init config;  // the cluster's, for this node, at the version that it runs
  std::string version;  // that the cluster's configuration names, "v1.36.3"
  std::vector<Component> components;
  std::vector<std::string> notes;
  std::vector<std::string> unseen;
};

// GatherNode looks at this node: static Pods by manifest and by what the runtime has started, the
// kubelet by its files, its command line and by what it says of itself; on a control-plane node
// also at kube-proxy's and CoreDNS' objects. A node that still runs another version than the
// cluster's configuration names is held against its own, and a note says so. Throws base::Error
// when the configuration cannot be read.
Gathered GatherNode(const Sources& sources);

// GatherOthers looks at the nodes other than `here` by what the API tells: the Pods of their
// control plane, and what their kubelets say of themselves. Their patches are not known.
Gathered GatherOthers(const Sources& sources, const Gathered& here);

// PodOf is the static Pod that the configuration gives for this node, finished.
json::Value PodOf(components::Component component, const Sources& sources,
                  const config::Init& config);

// Rendered are the static Pods that the configuration gives for this node, finished; without etcd
// where an upgrade would leave that as it is.
std::vector<Component> Rendered(const Sources& sources, const config::Init& config);

}  // namespace config_change
