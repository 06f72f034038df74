// SPDX-License-Identifier: Apache-2.0
// Common parts of the readers of this node and of others. Internal to this library.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config_change/gather.h"
#include "static_pods/static_pod.h"

namespace config_change {

// Returns the version ("v1.36.3") that all image tags have. Returns std::nullopt if the tags have
// several versions, or none.
std::optional<std::string> CommonVersion(const std::set<std::string>& tags);

// Adds this node's static Pods. Sets Component::missing for an absent manifest.
void AddStaticPods(const Sources& sources, Gathered& gathered);

// Adds this node's kubelet: its configuration, and its arguments.
void AddKubelet(const Sources& sources, const stored_config::FetchedConfig& fetched,
                Gathered& gathered);

// AddNode adds the taint and the label of a control-plane Node. AddThisNode does so for this node's
// Node, and also adds the servers in this node's kubeconfig files.
void AddNode(const json::Value& node, Gathered& gathered);
void AddThisNode(const Sources& sources, Gathered& gathered);

// Adds the cluster's objects of kube-proxy and CoreDNS.
void AddAddons(const Sources& sources, const config::StoredConfig& stored, Gathered& gathered);

// Queries the running settings of the node's kubelet; adds a kubelet that does not answer to
// `unseen`.
void AddRunningKubelet(kube::Client& client, Component& kubelet, std::vector<std::string>& unseen);

// Returns the Pod with the patches and the rootless users applied, in normalized form
// (static_pods::Normalized).
json::Value Finished(components::Component component, json::Value pod, const Sources& sources,
                     const config::Init& config, const node_input::PatchSet* patches);

// Returns the wanted KubeletConfiguration of this node's kubelet.
json::Value NodeKubeletConfig(const Sources& sources, const config::Init& config);

}  // namespace config_change
