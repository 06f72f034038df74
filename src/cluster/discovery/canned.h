// SPDX-License-Identifier: Apache-2.0
// The fake cluster of a dry run of join if no real one answers (reference: phases.md §2, row
// "dry-run"): fixed objects without real secrets.
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

// Returns the answer to a GET: the ConfigMaps cluster-info, kubeadm-config, kube-proxy and
// kubelet-config, the Secret kubeadm-certs with empty values, any Node. Returns std::nullopt for
// anything else. It fits kube::DryRunOptions::canned.
std::optional<json::Value> CannedObject(const kube::Call& call);

// Queries `real` and logs each GET as a dry run reports its calls; as long as the real server has
// never answered successfully, its failures are replaced by CannedObject.
Ask DryRunAsk(base::ShowLine log, Ask real = HttpAsk);

}  // namespace discovery
