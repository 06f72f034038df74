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

namespace rbac {

// Grants group kubeadm:cluster-admins the role cluster-admin.
json::Value AdminBinding();

// Creates a transport from a kubeconfig.
using Connect = std::function<std::shared_ptr<kube::Transport>(const kube::Kubeconfig& config)>;

// The two kubeconfigs and their server.
struct AdminFiles {
  host::fs::path admin;
  host::fs::path super_admin;
  std::string server;  // replaces the files' servers: this node's own API server
};

// Returns a transport with all rights. In a new cluster the administrators' group has no rights
// yet: then the super administrator grants them. Throws base::Interrupted on a stop request.
std::shared_ptr<kube::Transport> ConnectAsAdmin(const host::Host& host, const AdminFiles& paths,
                                                const Connect& connect, kube::RetryPolicy retry,
                                                std::stop_token stop = {});

// Waits until a new API server has created the rules for its administrators, and its own
// namespaces. Throws base::Error(kUnavailable) with the missing part after the retry limit,
// base::Interrupted on a stop request.
void WaitForBuiltIns(const std::shared_ptr<kube::Transport>& admin, host::Clock& clock,
                     kube::RetryPolicy retry, std::stop_token stop = {});

}  // namespace rbac
