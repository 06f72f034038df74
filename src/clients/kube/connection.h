// SPDX-License-Identifier: Apache-2.0
// Connections: what a kubeconfig says of how to reach a server, and as whom.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/client.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"

namespace kube {

// Connection is where a kubeconfig leads and as whom: all that a request needs but its path.
struct Connection {
  std::string server;         // "https://10.0.0.1:6443", no slash at the end
  std::string shown;          // "10.0.0.1:6443", for messages
  std::string authorization;  // of the header of that name, or ""; secret
  // Headers that name whom to act as (Kubernetes documentation, "User impersonation").
  std::vector<std::pair<std::string, std::string>> impersonation;
  http::Tls tls;
  std::optional<std::string> proxy;
  // What is secret of it is overwritten at its end.
  ~Connection();
};

// IsSecure is whether the server is asked by https. No other is shown who asks: neither token nor
// password nor certificate, as with client-go, and no program is run to log in.
bool IsSecure(const KubeconfigCluster& cluster, const ConnectOptions& options);

// ConnectionOf throws base::Error(kInvalid) when it cannot be used: no server, a file that is not
// there, a way to log in that we lack, a line end in what becomes a header. The options' timeout
// has no part in it.
Connection ConnectionOf(const KubeconfigCluster& cluster, const KubeconfigUser& user,
                        const ConnectOptions& options);

// NewRequest is a GET of `path` over the connection; the client needs the connection's `tls`.
http::Request NewRequest(const Connection& connection, const std::string& path);

}  // namespace kube
