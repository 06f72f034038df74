// SPDX-License-Identifier: Apache-2.0
// Execution of a move on this node.
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

// The context of a move. References must outlive it.
struct Engine {
  host::Host& host;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::chrono::sys_seconds start;            // of the process: start of certificates' periods
  std::chrono::milliseconds limit{300'000};  // for waits
  std::stop_token stop = {};
  base::ShowLine say;
};

// Returns the addresses of this node's API server during the move: one that does not change stays,
// and so does its certificate.
std::vector<net::IpAddress> AddressesToAsk(const Node& node, const Move& move);

// Creates a client of this node's API server at that address, by admin.conf; on a worker one of the
// cluster as its kubelet.
kube::Client ClientFor(const Node& node, const net::IpAddress& address, const Engine& engine);

// Throws base::Error(kInvalid) for an impossible move: another family, an address that this machine
// lacks, a CA whose key is not here; kUnavailable if etcd would lose its majority. All before any
// change.
void CheckMove(const Node& node, const Plan& plan, const Move& move, const Engine& engine);

// Issues certificates, rewrites kubeconfig files, the kubelet's settings and manifests, restarts
// the kubelet and the static Pods and waits until they serve. Then it sets the member's new peer
// URL in etcd, changes the cluster's objects, and waits until the cluster has the new address. Each
// step may be repeated: `journal` lets an interrupted run continue, and is removed at the end.
void Apply(const Node& node, Journal journal, const Engine& engine);

}  // namespace readdress
