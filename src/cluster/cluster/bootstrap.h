// What lets a node join with a bootstrap token: RBAC rules and the public cluster-info ConfigMap
// (KEP-130; reference: phases.md §1.4).
#pragma once

#include <array>
#include <string>

#include "json/value.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"

namespace cluster {

// BootstrapRule is one step of the rules; each is reported on its own.
enum class BootstrapRule {
  kGetNodes,                // joining nodes see whether their name is taken
  kPostCsrs,                // they ask for a client certificate
  kApproveBootstrapCsrs,    // which is approved
  kApproveRotationCsrs,     // and renewed
  kApiServerKubeletClient,  // the API server may use the kubelet's API
};
inline constexpr std::array kBootstrapRules = {
    BootstrapRule::kGetNodes, BootstrapRule::kPostCsrs, BootstrapRule::kApproveBootstrapCsrs,
    BootstrapRule::kApproveRotationCsrs, BootstrapRule::kApiServerKubeletClient};

// ApplyBootstrapRule creates or updates the rule's objects.
void ApplyBootstrapRule(kube::Client& client, BootstrapRule rule);

inline constexpr std::string_view kClusterInfo = "cluster-info";
inline constexpr std::string_view kClusterInfoKey = "kubeconfig";

// ClusterInfoKubeconfig is where and by which CA the cluster is known: a kubeconfig whose one
// cluster has no name, from the current cluster of `admin`. A CA in a file must have been read in
// before. Throws base::Error(kInvalid) when `admin` has no current cluster.
kube::Kubeconfig ClusterInfoKubeconfig(const kube::Kubeconfig& admin);

// PutClusterInfo writes the ConfigMap; ApplyClusterInfoRbac lets everybody read it.
void PutClusterInfo(kube::Client& client, const kube::Kubeconfig& admin);
void ApplyClusterInfoRbac(kube::Client& client);

}  // namespace cluster
