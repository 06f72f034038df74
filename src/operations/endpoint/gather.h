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

// Creates a client of the cluster. On a control-plane node it uses the node's own API server and
// the user of admin.conf. On a worker it uses the kubelet's user. `by` replaces the server, if it
// is set.
kube::Client ClientHere(const host::Host& host, const std::optional<net::HostPort>& by);

// Dependencies of the collection. References must outlive it.
struct CollectDeps {
  host::Host& host;
  kube::Client& client;
  std::stop_token stop = {};
};

// Collects the state of this node. On a control-plane node also collects the cluster's objects.
// Does not fill in `unprepared`. Throws the errors of kube::Client, and base::Error(kInvalid) if
// the cluster's configuration is malformed.
EndpointFacts CollectFacts(const CollectDeps& deps);

// Returns the endpoint to set: `given`, completed with the API server's port. If `given` is empty,
// returns the endpoint of a change in progress, or the present endpoint. Throws base::Error(kUsage)
// if `given` is malformed, if a worker gets another endpoint than the cluster's, or if no endpoint
// is known.
net::HostPort Target(const std::string& given, const EndpointFacts& seen);

// Returns the other API servers whose certificate lacks the name, with the reason: "cp-two: why".
std::vector<std::string> Unprepared(const CollectDeps& deps, const EndpointFacts& seen,
                                    const std::string& name);

// Returns the other control-plane nodes whose API servers present a certificate for one of the
// names. Ignores names and addresses of the node itself. A server that does not answer is included.
std::vector<std::string> Serving(const CollectDeps& deps, const EndpointFacts& seen,
                                 const std::vector<std::string>& names);

// Returns why the endpoint does not reach this cluster; std::nullopt if it does. On a control-plane
// node, a certificate without the endpoint's name is accepted.
std::optional<std::string> Unreachable(const CollectDeps& deps, const EndpointFacts& seen,
                                       const net::HostPort& to);

// Throws base::Error(kUnavailable), with the remedy, if Unreachable returns a reason.
void RequireReachable(const CollectDeps& deps, const EndpointFacts& seen, const net::HostPort& to);

// Nodes that the user excludes from the end of a change.
struct Ending {
  bool force = false;
  std::vector<std::string> left = {};  // names of nodes
};

// Finishes a change: removes its record if no API server uses an old name any more. Ignores the API
// servers of excluded nodes; with `force`, ignores all API servers. Returns a text with the result
// and the remaining actions.
std::string Close(const CollectDeps& deps, const EndpointFacts& seen, const ChangeRecord& record,
                  const Ending& ending);

}  // namespace endpoint
