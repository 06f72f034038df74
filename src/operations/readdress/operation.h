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

// Deps are the dependencies of the steps. All references must outlive the operation.
struct Deps {
  host::Host& host;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::chrono::sys_seconds start;            // of the process: validity periods count from it
  std::chrono::milliseconds limit{300'000};  // for each wait
  std::stop_token stop = {};
};

// AddressesToAsk are the addresses at which this node's API server may serve while the node moves.
// The address that does not move stays, and so does its certificate.
std::vector<net::IpAddress> AddressesToAsk(const Node& node, const Move& move);

// ClientFor returns a client of this node's API server at `address` with the credentials of
// admin.conf; on a worker a client of the cluster with the kubelet's.
kube::Client ClientFor(const Node& node, const net::IpAddress& address, const Deps& deps);

// CollectedObjects are the cluster's objects, or a line that says why they were not read.
struct CollectedObjects {
  std::vector<json::Value> objects = {};
  std::string note = {};
};

// CollectObjects asks the API server at each of the addresses until one answers. Throws
// base::Error(kCancelled) when interrupted.
CollectedObjects CollectObjects(const Node& node, const Move& move, const Deps& deps);

// RequireMovable throws base::Error before anything is changed: kInvalid for another address
// family, an address that this host does not have, or a CA whose key is not on this node;
// kUnavailable when etcd would lose its majority. `say` gets a line while etcd's members are waited
// for.
void RequireMovable(const Node& node, const Plan& plan, const Move& move, const Deps& deps,
                    const base::ShowLine& say);

// RequireReversible throws base::Error(kInvalid) when this host no longer has the previous address.
void RequireReversible(const Node& node, const Move& move, const Deps& deps);

// PlanOperation returns the steps of the move. `last` is the journal of a move to resume or to roll
// back; a rollback needs no plan.
engine::Operation PlanOperation(const Node& node, const Plan& plan, const Move& move,
                                const Deps& deps, const std::optional<engine::Journal>& last);

// MoveOf reads the move from a journal's intent. Throws base::Error(kInvalid) for anything else.
Move MoveOf(const engine::Journal& journal);

// LoadJournal loads the journal of the last move, also the one of a release before the engine.
// Throws base::Error(kInvalid), naming the file, for one that cannot be read.
std::optional<engine::Journal> LoadJournal(const host::Files& files);

}  // namespace readdress
