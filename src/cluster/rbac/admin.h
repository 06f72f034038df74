// SPDX-License-Identifier: Apache-2.0
// The administrator's way into a cluster that has just been made (KEP-4214's super-admin.conf;
// reference: phases.md §1.4, §1.5).
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

// AdminBinding gives group kubeadm:cluster-admins the role cluster-admin.
json::Value AdminBinding();

// Connect makes a transport of a kubeconfig.
using Connect = std::function<std::shared_ptr<kube::Transport>(const kube::Kubeconfig& config)>;

// AdminFiles are the two kubeconfigs and where they are to lead.
struct AdminFiles {
  host::fs::path admin;
  host::fs::path super_admin;
  std::string server;  // replaces the files' servers: this node's own API server
};

// ConnectAsAdmin returns a transport that may do everything. The administrators' group has no
// rights yet in a new cluster: then the super administrator gives them to it. Throws
// base::Error(kCancelled) when it is to stop.
std::shared_ptr<kube::Transport> ConnectAsAdmin(const host::Host& host, const AdminFiles& paths,
                                                const Connect& connect, kube::RetryPolicy retry,
                                                std::stop_token stop = {});

// WaitForBuiltIns waits until an API server which has just come up has made the rules by which it
// knows its administrators, and its own namespaces. Throws base::Error with what is still missing
// when the retry limit is over, kCancelled when it is to stop.
void WaitForBuiltIns(const std::shared_ptr<kube::Transport>& admin, host::Clock& clock,
                     kube::RetryPolicy retry, std::stop_token stop = {});

}  // namespace rbac
