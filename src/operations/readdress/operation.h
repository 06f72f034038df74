// SPDX-License-Identifier: Apache-2.0
// The change of this node's address as an operation of the engine.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/show_line.h"
#include "cri/runtime.h"
#include "engine/operation.h"
#include "host/host.h"
#include "json/value.h"
#include "kube/client.h"
#include "net/ip_address.h"
#include "readdress/gather.h"
#include "readdress/plan.h"

namespace readdress {

inline constexpr std::string_view kOperation = "node-readdress";  // engine::Operation::name

// Dependencies of the steps. All references must outlive the operation.
struct Deps {
  host::Host& host;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::chrono::sys_seconds start;            // of the process: validity periods count from it
  std::chrono::milliseconds limit{300'000};  // for each wait
  std::stop_token stop = {};
};

// Returns the addresses of this node's API server during the move. An address that does not change
// stays, and so does its certificate.
std::vector<net::IpAddress> AddressesToAsk(const Node& node, const Move& move);

// Returns a client of this node's API server at `address` with the credentials of admin.conf; on a
// worker a client of the cluster with the kubelet's.
kube::Client ClientFor(const Node& node, const net::IpAddress& address, const Deps& deps);

// The cluster's objects, or a line with the reason why they were not read.
struct CollectedObjects {
  std::vector<json::Value> objects = {};
  std::string note = {};
};

// Queries the API server at each of the addresses until one answers. Throws base::Interrupted
// after an interrupt.
CollectedObjects CollectObjects(const Node& node, const Move& move, const Deps& deps);

// Throws base::Error before any change: kInvalid for another address family, an address that this
// host lacks, or a CA whose key is not on this node; kUnavailable if etcd would lose its majority.
// `say` receives a line during waits for etcd's members.
void RequireMovable(const Node& node, const Plan& plan, const Move& move, const Deps& deps,
                    const base::ShowLine& say);

// Throws base::Error(kInvalid) if this host no longer has the previous address.
void RequireReversible(const Node& node, const Move& move, const Deps& deps);

// Returns the steps of the move. `last` is the journal of a move to resume or to roll back; a
// rollback needs no plan.
engine::Operation PlanOperation(const Node& node, const Plan& plan, const Move& move,
                                const Deps& deps, const std::optional<engine::Journal>& last);

// Reads the move from a journal's intent. Throws base::Error(kInvalid) for other content.
Move MoveOf(const engine::Journal& journal);

// Loads the journal of the last move, also the one of a release before the engine. Throws
// base::Error(kInvalid), naming the file, for an unreadable one.
std::optional<engine::Journal> LoadJournal(const host::Files& files);

}  // namespace readdress
