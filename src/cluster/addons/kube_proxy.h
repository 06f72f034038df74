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

// KubeProxyConfigMap holds the component's configuration and how it reaches the API server: the
// control plane endpoint, with the Pod's own service account.
json::Value KubeProxyConfigMap(const config::Init& config);

// KubeProxyDaemonSet runs it on every node. `proxies` are variables for its environment.
json::Value KubeProxyDaemonSet(const config::ClusterConfiguration& cluster,
                               const std::map<std::string, std::string>& proxies);

// KubeProxyManifests are all objects as a user would install them, in the order in which they are
// printed, and which of the `patches` (may be null) changed them. Throws base::Error(kInvalid) for
// patches that do not fit.
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

// ApplyKubeProxy brings the addon into the cluster or up to date; returns which of the patches
// changed it. Throws base::Error(kInvalid) for patches that do not fit, before anything is changed.
std::vector<patches::AppliedPatch> ApplyKubeProxy(kube::Client& client, const config::Init& config,
                                                  const KubeProxyOptions& options);

// RestartKubeProxy has its Pods replaced, one after the other, which read their configuration when
// they start. `at` is written into their template: another one than before is a new template.
void RestartKubeProxy(kube::Client& client, std::chrono::sys_seconds at);

// RolloutWait of WaitForKubeProxy. The clock outlives it.
struct RolloutWait {
  host::Clock& clock;
  std::chrono::milliseconds patience{300'000};  // for one more Pod
  std::stop_token stop = {};
};

// WaitForKubeProxy waits until its Pods on all nodes are those of the template and can be used.
// Throws base::Error(kTimeout), with how far it has come, when there is not one more for a while.
void WaitForKubeProxy(kube::Client& client, const RolloutWait& wait);

// ManifestText is the objects as YAML documents, each after a line "---".
std::string ManifestText(const std::vector<json::Value>& objects);

}  // namespace addons
