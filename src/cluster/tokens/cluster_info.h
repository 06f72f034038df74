// SPDX-License-Identifier: Apache-2.0
// The public ConfigMap cluster-info, in which a node with only a token finds the cluster (KEP-130;
// reference: phases.md §1.4).
#pragma once

#include <string_view>
#include <vector>

#include "kube/client.h"
#include "kube/kubeconfig.h"
#include "rbac/rbac.h"

namespace tokens {

inline constexpr std::string_view kClusterInfo = "cluster-info";
inline constexpr std::string_view kClusterInfoKey = "kubeconfig";

// Returns the cluster's address and CA: a kubeconfig whose one cluster has no name, from the
// current cluster of `admin`. A CA in a file must be embedded before. Throws base::Error(kInvalid)
// if `admin` has no current cluster.
kube::Kubeconfig ClusterInfoKubeconfig(const kube::Kubeconfig& admin);

// Make the ConfigMap public.
std::vector<rbac::RbacRow> ClusterInfoRows();

// PutClusterInfo writes the ConfigMap; ApplyClusterInfoRbac applies ClusterInfoRows.
void PutClusterInfo(kube::Client& client, const kube::Kubeconfig& admin);
void ApplyClusterInfoRbac(kube::Client& client);

}  // namespace tokens
