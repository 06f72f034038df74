// SPDX-License-Identifier: Apache-2.0
// The public ConfigMap cluster-info, by which a node that only has a token finds the cluster
// (KEP-130; reference: phases.md §1.4).
#pragma once

#include <string_view>
#include <vector>

#include "kube/client.h"
#include "kube/kubeconfig.h"
#include "rbac/rbac.h"

namespace tokens {

inline constexpr std::string_view kClusterInfo = "cluster-info";
inline constexpr std::string_view kClusterInfoKey = "kubeconfig";

// ClusterInfoKubeconfig is where and by which CA the cluster is known: a kubeconfig whose one
// cluster has no name, from the current cluster of `admin`. A CA in a file must have been read in
// before. Throws base::Error(kInvalid) when `admin` has no current cluster.
kube::Kubeconfig ClusterInfoKubeconfig(const kube::Kubeconfig& admin);

// ClusterInfoRows make the ConfigMap public.
std::vector<rbac::RbacRow> ClusterInfoRows();

// PutClusterInfo writes the ConfigMap; ApplyClusterInfoRbac applies ClusterInfoRows.
void PutClusterInfo(kube::Client& client, const kube::Kubeconfig& admin);
void ApplyClusterInfoRbac(kube::Client& client);

}  // namespace tokens
