// SPDX-License-Identifier: Apache-2.0
// What the cluster shows of a node's static Pods.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "host/host.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace upgrade {

// FreshMirrors is a probe that holds once the cluster shows every static Pod of `node`, which is
// this machine, with the image that its manifest here has; `client` and `host` outlive it. A Pod
// whose name another node's kubelet has taken is warned of, and not waited for.
//
// A kubelet that finds no API server when it replaces a mirror Pod, as while etcd or the API server
// itself is replaced, tries again 60 to 90 s later. It does at once when it sees that its mirror
// Pod is to be deleted: so that is asked for a stale one that it has left for some seconds. The Pod
// of which it is the picture runs on (kubernetes.io/docs/tasks/configure-pod-container/static-pod).
kube::Probe FreshMirrors(kube::Client& client, host::Host& host, const std::string& node);

// MirrorWait is what WaitForMirrors waits for, and how long. References outlive it.
struct MirrorWait {
  kube::Client& client;
  host::Host& host;
  std::string node;
  // Twice what a kubelet takes at most that does not see its mirror Pod deleted.
  std::chrono::milliseconds limit{180'000};
  std::stop_token stop = {};
};

// WaitForMirrors waits for FreshMirrors: the upgrades of other nodes judge this one by them.
// Returns what is stale still when the time is over. Throws base::Error(kCancelled).
std::optional<std::string> WaitForMirrors(const MirrorWait& wait);

}  // namespace upgrade
