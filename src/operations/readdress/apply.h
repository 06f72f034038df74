// SPDX-License-Identifier: Apache-2.0
// Carrying a move out on this node.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "cri/runtime.h"
#include "host/host.h"
#include "readdress/gather.h"
#include "readdress/journal.h"

namespace readdress {

// Engine is what acts. References outlive it.
struct Engine {
  host::Host& host;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::chrono::sys_seconds start;            // of the process: certificates' periods count from it
  std::chrono::milliseconds limit{300'000};  // for what is waited for
  std::stop_token stop = {};
  base::ShowLine say;
};

// AddressesToAsk are those at which the API server of this node may serve while the node moves: one
// that is not the one that moves stays, and so does its certificate.
std::vector<net::IpAddress> AddressesToAsk(const Node& node, const Move& move);

// ClientFor asks the API server of this node at that address, by admin.conf; on a worker the
// cluster as its kubelet.
kube::Client ClientFor(const Node& node, const net::IpAddress& address, const Engine& engine);

// CheckMove throws base::Error(kInvalid) for a move that cannot be: another family, an address that
// this machine does not have, a CA whose key is not here; kUnavailable where etcd would lose its
// majority. Nothing has been changed then.
void CheckMove(const Node& node, const Plan& plan, const Move& move, const Engine& engine);

// Apply issues certificates, rewrites kubeconfig files, the kubelet's settings and manifests,
// restarts the kubelet and the static Pods and waits until they serve, tells etcd the member's new
// peer URL, then changes the cluster's objects, and waits until the cluster has the new address.
// Each step may be repeated: a run that was cut off is gone on with by `journal`, which is removed
// in the end.
void Apply(const Node& node, Journal journal, const Engine& engine);

}  // namespace readdress
