// SPDX-License-Identifier: Apache-2.0
// The kube-proxy addon (reference: phases.md §1.7, kubelet.md §6).
#pragma once

#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "config/types.h"
#include "host/clock.h"
#include "json/fwd.h"
#include "kube/client.h"
#include "node_input/patches.h"

namespace addons {

// Builds kube-proxy's ConfigMap: its configuration and its kubeconfig. The kubeconfig points to the
// control plane endpoint and uses the Pod's service account.
json::Value KubeProxyConfigMap(const config::Init& config);

// Builds the DaemonSet that runs kube-proxy on every node. `proxies` become environment variables
// of the container.
json::Value KubeProxyDaemonSet(const config::ClusterConfiguration& cluster,
                               const std::map<std::string, std::string>& proxies);

// All objects of the addon in printing order, and the patches that changed them.
struct KubeProxyManifestList {
  std::vector<json::Value> objects;
  std::vector<node_input::AppliedPatch> patches;
};
// Builds all objects of the addon, for users who install it themselves. `patches` may be null.
// Throws base::Error(kInvalid) if a patch does not apply.
KubeProxyManifestList KubeProxyManifests(const config::Init& config,
                                         const node_input::PatchSet* patches);

// Options of ApplyKubeProxy.
struct KubeProxyOptions {
  std::map<std::string, std::string> proxies;  // HTTPS_PROXY → its value
  const node_input::PatchSet* patches = nullptr;
};

// Installs or updates the addon. Returns the patches that changed an object. Throws
// base::Error(kInvalid), before any change, if a patch does not apply. Also throws the errors of
// kube::Client.
std::vector<node_input::AppliedPatch> ApplyKubeProxy(kube::Client& client,
                                                     const config::Init& config,
                                                     const KubeProxyOptions& options);

// Starts a rolling replacement of the kube-proxy Pods, because kube-proxy reads its configuration
// only at start. Writes `at` into the Pod template: a new value triggers the replacement.
void RestartKubeProxy(kube::Client& client, std::chrono::sys_seconds at);

// Clock, timeout and stop token of a wait for a rollout. The clock must outlive the call.
struct RolloutWait {
  host::Clock& clock;
  // For WaitForKubeProxy, the longest time without progress.
  std::chrono::milliseconds patience{300'000};
  std::stop_token stop = {};
};

// Waits until all kube-proxy Pods match the template and are available. Throws
// base::Error(kTimeout), with the progress, if for `patience` no further Pod gets the template or,
// once all have it, becomes available. Throws base::Interrupted on a stop request.
void WaitForKubeProxy(kube::Client& client, const RolloutWait& wait);

// Returns the objects as YAML documents, each after a line "---".
std::string ManifestText(const std::vector<json::Value>& objects);

}  // namespace addons
