// SPDX-License-Identifier: Apache-2.0
// The mirror Pods of a node's static Pods.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "host/host.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace upgrade {

// Returns a probe that succeeds once every static Pod of `node` has a mirror Pod with the image of
// its manifest. `node` is this machine; `client` and `host` must outlive the probe. If another
// node's kubelet has taken the name of a mirror Pod, the probe warns and ignores this Pod.
//
// A kubelet retries after 60 to 90 s if it does not reach the API server when it replaces a mirror
// Pod. This happens while etcd or the API server itself is replaced. The kubelet retries
// immediately when it sees the deletion of its mirror Pod. Therefore the probe deletes a mirror Pod
// that has been stale for some seconds. The static Pod keeps running
// (kubernetes.io/docs/tasks/configure-pod-container/static-pod).
kube::Probe FreshMirrors(kube::Client& client, host::Host& host, const std::string& node);

// The parameters of WaitForMirrors. References must outlive it.
struct MirrorWait {
  kube::Client& client;
  host::Host& host;
  std::string node;
  // Twice the longest retry interval of a kubelet that has missed the deletion of its mirror Pod.
  std::chrono::milliseconds limit{180'000};
  std::stop_token stop = {};
};

// Waits for FreshMirrors, because upgrades of other nodes read this node's version from its mirror
// Pods. Returns the description of a mirror Pod that is still stale after the limit; std::nullopt
// if all are up to date. Throws base::Interrupted.
std::optional<std::string> WaitForMirrors(const MirrorWait& wait);

}  // namespace upgrade
