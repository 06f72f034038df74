// SPDX-License-Identifier: Apache-2.0
// Connections to the clusters.
#pragma once

#include <memory>
#include <string>

#include "cli/flags.h"
#include "controller/settings.h"
#include "host/host.h"
#include "kube/kubeconfig.h"

namespace machine_approver {

// Connects according to --management-cluster-kubeconfig and --workload-cluster-kubeconfig; without
// one, as this Pod's service account. Tokens and certificates in files are read again every few
// minutes, and after the server has refused them. Throws base::Error(kInvalid) for an unusable
// kubeconfig.
controller::Clusters ConnectAll(host::Host& host, const cli::Parsed& flags);

// Returns the kubeconfig of a Pod: KUBERNETES_SERVICE_HOST and …_PORT, and the files of its service
// account. Throws base::Error(kInvalid) outside of one.
kube::Kubeconfig PodConfig(const host::Host& host);

}  // namespace machine_approver
