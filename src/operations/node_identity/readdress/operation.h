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
#include "node_identity/readdress/gather.h"
#include "node_identity/readdress/journal.h"
#include "node_identity/readdress/plan.h"

namespace readdress {

// Dependencies of the steps. All references must outlive the operation.
struct MoveDeps {
  host::Host& host;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  // The start of this process.
  std::chrono::sys_seconds start;            // new certificates are valid from this time
  std::chrono::milliseconds limit{300'000};  // for each wait
  std::stop_token stop = {};
};

// Returns the addresses at which this node's API server may answer during the move. If the API
// server's address does not change, the result is this address.
std::vector<net::IpAddress> AddressesToAsk(const NodeFacts& node, const Move& move);

// Creates a client. On a control-plane node the client connects to this node's API server at
// `address`, with the credentials of admin.conf. On a worker it connects to the cluster's server,
// with the kubelet's credentials.
kube::Client ClientFor(const NodeFacts& node, const net::IpAddress& address, const MoveDeps& deps);

// The cluster's objects, or a note why they were not read.
struct CollectedObjects {
  std::vector<json::Value> objects = {};
  std::string note = {};
};

// Lists the objects from the API server, at the first address at which it answers. Throws
// base::Interrupted on a stop request.
CollectedObjects CollectObjects(const NodeFacts& node, const Move& move, const MoveDeps& deps);

// Checks the preconditions of a move. `say` receives a line during waits for etcd's members. Throws
// base::Error before any change. kInvalid: the address family differs, the host lacks the new
// address, nothing on this node has the old address, or a required CA key is missing. kConflict: a
// component has a second manifest. kUnavailable: etcd would lose its quorum.
void RequireMovable(const NodeFacts& node, const MovePlan& plan, const Move& move,
                    const MoveDeps& deps, const base::ShowLine& say);

// Checks the preconditions of a rollback. `last` is the journal of the move to resume or roll back.
// Throws base::Error(kInvalid) if this host no longer has the previous address. Throws
// base::Error(kConflict) if an earlier release began the move, because that release made no backups
// of the files.
void RequireReversible(const NodeFacts& node, const Move& move, const MoveDeps& deps,
                       const std::optional<engine::Journal>& last);

// Returns the steps of the move. `last` is the journal of the move to resume or roll back. For a
// rollback, `plan` may be empty.
engine::Operation PlanOperation(const NodeFacts& node, const MovePlan& plan, const Move& move,
                                const MoveDeps& deps, const std::optional<engine::Journal>& last);

}  // namespace readdress
