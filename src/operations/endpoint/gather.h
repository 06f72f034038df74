// SPDX-License-Identifier: Apache-2.0
// Collects the facts before a change of the control-plane endpoint. Read-only.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "endpoint/plan.h"
#include "host/host.h"
#include "kube/client.h"
#include "net/host_port.h"

namespace endpoint {

// On a control plane, uses this node's own API server as admin.conf's user, whatever server is in
// that file; on a worker its kubelet's user, at `by` if that is given.
kube::Client ClientHere(const host::Host& host, const std::optional<net::HostPort>& by);

// The inputs. References must outlive the collection.
struct Look {
  host::Host& host;
  kube::Client& client;
  std::stop_token stop = {};
};

// Reads this node, and on a control plane the cluster's objects. Its `unprepared` is empty. Throws
// base::Error if the cluster's configuration is unreadable.
Seen Gather(const Look& look);

// Returns the given endpoint, with the API server's port if it has none; without one, the endpoint
// of a change in progress, or the present one. Throws base::Error(kUsage) for a malformed text, for
// one that is not the cluster's on a worker, and without any endpoint.
net::HostPort Target(const std::string& given, const Seen& seen);

// Returns the other API servers that do not serve the name: "cp-two: why".
std::vector<std::string> Unprepared(const Look& look, const Seen& seen, const std::string& name);

// Returns the other control planes whose API servers present a certificate for one of the names,
// except for a node's own name or address. Servers that do not answer count.
std::vector<std::string> Serving(const Look& look, const Seen& seen,
                                 const std::vector<std::string>& names);

// Returns why this cluster cannot be reached by the endpoint; std::nullopt if it can. On a control
// plane its name need not be in the certificates yet.
std::optional<std::string> Unreachable(const Look& look, const Seen& seen, const net::HostPort& to);

// Throws base::Error(kUnavailable), with the remedy, if Unreachable returns a reason.
void RequireReachable(const Look& look, const Seen& seen, const net::HostPort& to);

// Nodes that the user ignores at the end of a change.
struct Ending {
  bool force = false;
  std::vector<std::string> left = {};  // nodes
};

// Removes the record of a change when no server uses an old name any more except on ignored nodes,
// or by force. Returns a text with the result and the remaining actions.
std::string Close(const Look& look, const Seen& seen, const Record& record, const Ending& ending);

}  // namespace endpoint
