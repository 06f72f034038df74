// SPDX-License-Identifier: Apache-2.0
// What is looked at before the control-plane endpoint is changed. Only reads.
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

// ClientHere asks, on a control plane, this node's own API server as admin.conf's user, whatever
// that file names; on a worker as its kubelet, at `by` where that is given.
kube::Client ClientHere(const host::Host& host, const std::optional<net::HostPort>& by);

// Look is what is asked. References outlive it.
struct Look {
  host::Host& host;
  kube::Client& client;
  std::stop_token stop = {};
};

// Gather looks at this node, and on a control plane at the cluster's objects. Its `unprepared` is
// empty. Throws base::Error where the cluster's configuration cannot be read.
Seen Gather(const Look& look);

// Target is the endpoint as it is given, with the API server's port where it has none; without it
// the one to which the cluster is on its way, or which it has. Throws base::Error(kUsage) for a
// text that is not an endpoint, one that is not the cluster's on a worker, and when there is
// nothing to go by.
net::HostPort Target(const std::string& given, const Seen& seen);

// Unprepared are the other API servers that do not serve the name: "cp-two: why".
std::vector<std::string> Unprepared(const Look& look, const Seen& seen, const std::string& name);

// Serving are the other control planes whose API servers show a certificate for one of the names,
// but for what is a node's own name or address; those that do not answer count.
std::vector<std::string> Serving(const Look& look, const Seen& seen,
                                 const std::vector<std::string>& names);

// Unreachable is why the endpoint does not lead to this cluster; nothing: it does. On a control
// plane its name need not be in the certificates yet.
std::optional<std::string> Unreachable(const Look& look, const Seen& seen, const net::HostPort& to);

// RequireReachable throws base::Error(kUnavailable), with what to do, for what Unreachable tells.
void RequireReachable(const Look& look, const Seen& seen, const net::HostPort& to);

// Ending: nodes that the user leaves behind.
struct Ending {
  bool force = false;
  std::vector<std::string> left = {};  // nodes
};

// Close removes the record of a change when nothing serves an old name any more but on nodes that
// are left behind, or by force. The text for people says whether, and what is left to do.
std::string Close(const Look& look, const Seen& seen, const Record& record, const Ending& ending);

}  // namespace endpoint
