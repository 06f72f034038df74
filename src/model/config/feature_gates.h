// SPDX-License-Identifier: Apache-2.0
// The choices of kubeadm's own feature gates. Which there are is the release's (reference:
// manifests.md §9, config-api.md §8).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"

namespace config {

// SocketIsLocal: the kubelet learns its runtime's socket from instance-config.yaml. Where gate
// NodeLocalCRISocket exists and is off, by an argument.
bool SocketIsLocal(const ClusterConfiguration& cluster);

// KubeletAsksOwnServer: the kubelet of a control-plane node talks to that node's API server. Where
// gate ControlPlaneKubeletLocalMode can still be off, and is, to the control plane's endpoint.
bool KubeletAsksOwnServer(const ClusterConfiguration& cluster);

// ParseFeatureGates reads "A=true,B=false" (Go's boolean words) for the release of a version or of
// a label such as "stable-1.36"; one that names no minor is the newest. Warns of deprecated gates;
// throws base::Error(kUsage) for names that the release does not know and values that are not
// boolean.
std::map<std::string, bool> ParseFeatureGates(std::string_view text, std::string_view version);

// FeatureGateHelp has one "Name=true|false (STAGE - default=bool)" line for each gate of the newest
// release.
std::vector<std::string> FeatureGateHelp();

}  // namespace config
