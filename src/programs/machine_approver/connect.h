// SPDX-License-Identifier: Apache-2.0
// Connections to the clusters.
#pragma once

#include <memory>

#include "cli/flags.h"
#include "controller/settings.h"
#include "host/host.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace machine_approver {

// Connects with the kubeconfigs of --management-cluster-kubeconfig and
// --workload-cluster-kubeconfig. Without such a flag, connects as this Pod's service account.
// Tokens and certificates in files are read again every few minutes, and after the server has
// refused them. Throws base::Error(kInvalid) for an unusable kubeconfig.
controller::Clusters ConnectAll(host::Host& host, const cli::Parsed& flags);

// Connects to the workload cluster like ConnectAll, but as another user: `as` has the fields "as",
// "as-groups" and "as-user-extra" of a kubeconfig's user. Throws base::Error(kInvalid) for an
// unusable kubeconfig.
std::unique_ptr<kube::Transport> ConnectAs(host::Host& host, const cli::Parsed& flags,
                                           const json::Value& as);

}  // namespace machine_approver
