// SPDX-License-Identifier: Apache-2.0
// The connection of a kubeconfig: its server and its credentials.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/client.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"

namespace kube {

// The server and the credentials of a kubeconfig. Contains everything for a request except its
// path.
struct Connection {
  std::string server;         // "https://10.0.0.1:6443", no slash at the end
  std::string shown;          // "10.0.0.1:6443", for messages
  std::string authorization;  // the Authorization header, or ""; secret
  // Headers of user impersonation (Kubernetes documentation, "User impersonation").
  std::vector<std::pair<std::string, std::string>> impersonation;
  http::Tls tls;
  std::optional<std::string> proxy;
  // Overwrites the secret members.
  ~Connection();
};

// Returns whether the server is accessed by https. Like client-go, this client sends credentials
// (token, password, certificate) only by https, and runs a login plugin only for https.
bool IsSecure(const KubeconfigCluster& cluster, const ConnectOptions& options);

// Returns the connection. Throws base::Error(kInvalid) if cluster or user are unusable: the server
// is missing, a file is missing, the login method is unsupported, or a header value contains a line
// end. Ignores the options' timeout.
Connection ConnectionOf(const KubeconfigCluster& cluster, const KubeconfigUser& user,
                        const ConnectOptions& options);

// Returns a GET request for `path` over the connection. The client must use the connection's `tls`.
http::Request NewRequest(const Connection& connection, const std::string& path);

}  // namespace kube
