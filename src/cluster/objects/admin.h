// SPDX-License-Identifier: Apache-2.0
// The administrator's access to a new cluster (KEP-4214's super-admin.conf; reference: phases.md
// §1.4, §1.5).
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "host/host.h"
#include "json/fwd.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"

namespace objects {

// Builds the ClusterRoleBinding of group kubeadm:cluster-admins to role cluster-admin.
json::Value AdminBinding();

// Creates a transport from a kubeconfig.
using Connect = std::function<std::shared_ptr<kube::Transport>(const kube::Kubeconfig& config)>;

// Paths of the two administrator kubeconfigs, and their server.
struct AdminFiles {
  host::fs::path admin;
  host::fs::path super_admin;
  // The URL of this node's API server. It replaces the servers in the files.
  std::string server;
};

// Connects as the administrator, and returns the transport. In a new cluster the administrators'
// group has no rights yet; then ConnectAsAdmin first grants them with the super administrator's
// credentials. Throws the errors of kube::Client. Throws base::Interrupted on a stop request.
std::shared_ptr<kube::Transport> ConnectAsAdmin(const host::Host& host, const AdminFiles& paths,
                                                const Connect& connect,
                                                const kube::RetryPolicy& retry,
                                                const std::stop_token& stop = {});

// Waits until a new API server has created its built-in RBAC rules for administrators and its
// built-in namespaces. Throws base::Error(kUnavailable), naming the missing part, after the retry
// limit. Throws base::Interrupted on a stop request.
void WaitForBuiltIns(const std::shared_ptr<kube::Transport>& admin, host::Clock& clock,
                     kube::RetryPolicy retry, std::stop_token stop = {});

}  // namespace objects
