// SPDX-License-Identifier: Apache-2.0
// ConfigMap cluster-info: the cluster's public address and CA for joining nodes that have only a
// token (KEP-130; reference: phases.md §1.4).
#pragma once

#include <string_view>
#include <vector>

#include "kube/client.h"
#include "kube/kubeconfig.h"
#include "objects/rbac.h"

namespace join_secrets {

inline constexpr std::string_view kClusterInfo = "cluster-info";
inline constexpr std::string_view kClusterInfoKey = "kubeconfig";

// Builds the public kubeconfig. It has one cluster without a name, copied from the current cluster
// of `admin`. The CA must be embedded in `admin`. Throws base::Error(kInvalid) if `admin` has no
// current cluster.
kube::Kubeconfig ClusterInfoKubeconfig(const kube::Kubeconfig& admin);

// Returns the RBAC rules that make the ConfigMap public.
std::vector<objects::RbacRow> ClusterInfoRows();

// PutClusterInfo writes the ConfigMap. ApplyClusterInfoRbac applies ClusterInfoRows. Both throw the
// errors of kube::Client.
void PutClusterInfo(kube::Client& client, const kube::Kubeconfig& admin);
void ApplyClusterInfoRbac(kube::Client& client);

}  // namespace join_secrets
