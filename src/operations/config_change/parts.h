// SPDX-License-Identifier: Apache-2.0
// What the looks at this node and at the others share. For the inside of this room.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config_change/gather.h"
#include "static_pods/static_pod.h"

namespace config_change {

// CommonVersion is the one version ("v1.36.3") that all tags of images name; nothing when they name
// several, or none.
std::optional<std::string> CommonVersion(const std::set<std::string>& tags);

// AddStaticPods adds this node's static Pods; a manifest that is not there is `missing`.
void AddStaticPods(const Sources& sources, Gathered& gathered);

// AddKubelet adds this node's kubelet: its configuration, and its arguments.
void AddKubelet(const Sources& sources, const upgrade::FetchedConfig& fetched, Gathered& gathered);

// AddNode adds the taint and the label of a Node of the control plane. AddThisNode adds those of
// this node, and where its kubeconfig files lead.
void AddNode(const json::Value& node, Gathered& gathered);
void AddThisNode(const Sources& sources, Gathered& gathered);

// AddAddons adds what the cluster has of kube-proxy and CoreDNS.
void AddAddons(const Sources& sources, const config::StoredConfig& stored, Gathered& gathered);

// AddRunningKubelet asks the kubelet of that node what it runs with; one that does not answer is
// `unseen`.
void AddRunningKubelet(kube::Client& client, Component& kubelet, std::vector<std::string>& unseen);

// Finished is the Pod with its users and patches, in the form in which Kubernetes writes it.
json::Value Finished(components::Component component, json::Value pod, const Sources& sources,
                     const config::Init& config, const patches::PatchSet* patches);

// NodeKubeletConfig is the KubeletConfiguration that this node's kubelet gets.
json::Value NodeKubeletConfig(const Sources& sources, const config::Init& config);

// PairOf is the certificate and the key of a row of certs::Tree. CertificatesDirectory is where the
// stored configuration has them.
std::vector<host::fs::path> PairOf(std::string_view name, const host::fs::path& directory);
std::string CertificatesDirectory(const config::StoredConfig& stored);

// MissingNames are the certificates on this node (names of certs::Tree) that lack a name which the
// configuration gives them; what cannot be read counts as one.
std::vector<std::string_view> MissingNames(const host::Host& host, const config::Init& config);

}  // namespace config_change
