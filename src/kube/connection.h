// Connections: what a kubeconfig says of how to reach a server, and as whom.
#pragma once

#include <optional>
#include <string>

#include "http/client.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"

namespace kube {

struct Connection {
  std::string server;         // "https://10.0.0.1:6443", no slash at the end
  std::string shown;          // "10.0.0.1:6443", for messages
  std::string authorization;  // of the header of that name, or ""; secret
  http::Tls tls;
  std::optional<std::string> proxy;
  // What is secret of it is overwritten at its end.
  ~Connection();
};

// ConnectionOf throws base::Error(kInvalid) when it cannot be used: no server, a file that is not
// there, a way to log in that we lack. The options' timeout has no part in it.
Connection ConnectionOf(const KubeconfigCluster& cluster, const KubeconfigUser& user,
                        const ConnectOptions& options);

// NewRequest is a GET of `path` over the connection; the client needs the connection's `tls`.
http::Request NewRequest(const Connection& connection, const std::string& path);

}  // namespace kube
