// SPDX-License-Identifier: Apache-2.0
// What the cluster shows of a node's static Pods.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "host/host.h"
#include "kube/client.h"

namespace upgrade {

// StaleMirror says which static Pod of `node` the cluster still shows with another image than its
// manifest here has; nothing when it shows all as they are. Throws what Client::Find throws.
std::optional<std::string> StaleMirror(kube::Client& client, const host::Files& files,
                                       const std::string& node);

// MirrorWait is what AwaitMirrors waits for, and how long. References outlive it.
struct MirrorWait {
  kube::Client& client;
  host::Host& host;
  std::string node;
  // A kubelet that finds no API server when it replaces a mirror Pod, as while etcd or the API
  // server itself is replaced, tries again when it looks at that Pod next: 60 to 90 s later. Twice
  // that, since the next time may be the same.
  std::chrono::milliseconds limit{180'000};
  std::stop_token stop = {};
};

// AwaitMirrors waits until StaleMirror finds nothing: a kubelet replaces its mirror Pods some
// seconds after the Pods themselves, and the upgrades of other nodes judge this one by them.
// Returns what is stale still when the time is over. Throws base::Error(kCancelled).
std::optional<std::string> AwaitMirrors(const MirrorWait& wait);

}  // namespace upgrade
