// SPDX-License-Identifier: Apache-2.0
// The values of kubeadm's own feature gates. The release defines which exist (reference:
// manifests.md §9, config-api.md §8).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"

namespace config {

// Returns whether the kubelet reads its runtime's socket from instance-config.yaml, not from an
// argument. Returns false only if the release has gate NodeLocalCRISocket and the gate is off.
bool SocketIsLocal(const ClusterConfiguration& cluster);

// Returns whether the kubelet of a control-plane node connects to that node's API server, not to
// the control plane's endpoint. Returns false only if gate ControlPlaneKubeletLocalMode can be off
// and is off.
bool KubeletAsksOwnServer(const ClusterConfiguration& cluster);

// Parses "A=true,B=false" (Go's boolean words) for the release of a version or of a label such as
// "stable-1.36"; a label without a minor version means the newest release. Warns of deprecated
// gates; throws base::Error(kUsage) for unknown names and invalid values.
std::map<std::string, bool> ParseFeatureGates(std::string_view text, std::string_view version);

// Returns one "Name=true|false (STAGE - default=bool)" line for each gate of the newest release.
std::vector<std::string> FeatureGateHelp();

}  // namespace config
