// SPDX-License-Identifier: Apache-2.0
// The fake cluster of `join --dry-run`, used if no real cluster answers: fixed objects without real
// secrets (reference: phases.md §2, row "dry-run").
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
// SHA-256 pin of the fake cluster's CA.
inline constexpr std::string_view kCannedPin =
    "sha256:3b793efefe27a19f93b0fbe6e637e9c41d0dde8a377d6ab1c0f656bf1136dd8a";

// Returns the fake cluster's answer to a GET; std::nullopt for an unknown object or another call.
// The fake cluster has the ConfigMaps cluster-info, kubeadm-config, kube-proxy and kubelet-config,
// the Secret kubeadm-certs with empty values, and every Node. Use this function as
// kube::DryRunOptions::canned.
std::optional<json::Value> CannedObject(const kube::Call& call);

// Returns an Ask that sends requests to `real`. It logs requests for cluster-info in the format of
// a dry run. If the first of them fails, it answers them with CannedObject instead.
Ask DryRunAsk(base::ShowLine log, Ask real = HttpAsk);

}  // namespace discovery
