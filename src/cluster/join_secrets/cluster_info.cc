// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/cluster_info.h"

#include "base/error.h"
#include "kube/objects.h"

namespace join_secrets {

kube::Kubeconfig ClusterInfoKubeconfig(const kube::Kubeconfig& admin) {
  const kube::KubeconfigCluster* current = admin.CurrentCluster();
  if (current == nullptr) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "the kubeconfig names no cluster: " + admin.NoClusterReason());
  }
  kube::Kubeconfig info;
  info.clusters[""] = {.server = current->server,
                       .certificate_authority_data = current->certificate_authority_data};
  return info;
}

void PutClusterInfo(kube::Client& client, const kube::Kubeconfig& admin) {
  client.CreateOrUpdate(
      kube::resources::kConfigMap,
      kube::ConfigMap({kube::kPublicNamespace, kClusterInfo},
                      {{std::string(kClusterInfoKey), ClusterInfoKubeconfig(admin).Text()}}));
}

std::vector<objects::RbacRow> ClusterInfoRows() {
  return objects::ReadOneRows({.name = "kubeadm:bootstrap-signer-clusterinfo",
                               .name_space = kube::kPublicNamespace,
                               .resource = "configmaps",
                               .object = kClusterInfo,
                               .subjects = {{.kind = "User", .name = "system:anonymous"}}});
}

void ApplyClusterInfoRbac(kube::Client& client) { objects::ApplyRbac(client, ClusterInfoRows()); }

}  // namespace join_secrets
