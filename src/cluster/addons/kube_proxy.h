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
#include "patches/patches.h"

namespace addons {

// Returns the component's configuration and its kubeconfig for the API server: the control plane
// endpoint, with the Pod's own service account.
json::Value KubeProxyConfigMap(const config::Init& config);

// Runs it on every node. `proxies` are variables for its environment.
json::Value KubeProxyDaemonSet(const config::ClusterConfiguration& cluster,
                               const std::map<std::string, std::string>& proxies);

// Returns all objects as a user would install them, in printing order, and the `patches` (may be
// null) that changed them. Throws base::Error(kInvalid) for patches that do not apply.
struct KubeProxyManifestList {
  std::vector<json::Value> objects;
  std::vector<patches::AppliedPatch> patches;
};
KubeProxyManifestList KubeProxyManifests(const config::Init& config,
                                         const patches::PatchSet* patches);

// KubeProxyOptions of ApplyKubeProxy.
struct KubeProxyOptions {
  std::map<std::string, std::string> proxies;  // variables for its environment
  const patches::PatchSet* patches = nullptr;
};

// Installs or updates the addon; returns which of the patches changed it. Throws
// base::Error(kInvalid) for patches that do not apply, before any change.
std::vector<patches::AppliedPatch> ApplyKubeProxy(kube::Client& client, const config::Init& config,
                                                  const KubeProxyOptions& options);

// Replaces its Pods one after the other, since they read their configuration when they start. `at`
// is written into their template: a new value makes a new template.
void RestartKubeProxy(kube::Client& client, std::chrono::sys_seconds at);

// Limits of WaitForKubeProxy. The clock must outlive it.
struct RolloutWait {
  host::Clock& clock;
  std::chrono::milliseconds patience{300'000};  // for one more Pod
  std::stop_token stop = {};
};

// Waits until its Pods on all nodes are those of the template and available. Throws
// base::Error(kTimeout), with the progress, if no further Pod becomes available in that time.
void WaitForKubeProxy(kube::Client& client, const RolloutWait& wait);

// Returns the objects as YAML documents, each after a line "---".
std::string ManifestText(const std::vector<json::Value>& objects);

}  // namespace addons
