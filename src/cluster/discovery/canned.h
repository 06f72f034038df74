// SPDX-License-Identifier: Apache-2.0
// What a dry run of a join takes for the cluster when no real one answers (reference: phases.md §2,
// row "dry-run"): fixed objects which hold no secret of anybody.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/show_line.h"
#include "discovery/ask.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace discovery {

inline constexpr std::string_view kCannedToken = "abcdef.abcdef0123456789";
inline constexpr std::string_view kCannedServer = "https://192.168.0.101:6443";
inline constexpr std::string_view kCannedEndpoint = "192.168.0.101:6443";
// The pin of the canned cluster's CA.
inline constexpr std::string_view kCannedPin =
    "sha256:3b793efefe27a19f93b0fbe6e637e9c41d0dde8a377d6ab1c0f656bf1136dd8a";

// CannedObject is what a GET is answered with: the ConfigMaps cluster-info, kubeadm-config,
// kube-proxy and kubelet-config, the Secret kubeadm-certs with empty values, any Node. Nothing for
// anything else. It fits kube::DryRunOptions::canned.
std::optional<json::Value> CannedObject(const kube::Call& call);

// DryRunAsk asks `real` and logs each GET as a dry run reports its calls; as long as the real
// server has never answered well, its failures are answered from CannedObject.
Ask DryRunAsk(base::ShowLine log, Ask real = HttpAsk);

}  // namespace discovery
