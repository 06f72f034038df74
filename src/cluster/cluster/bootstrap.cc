#include "cluster/bootstrap.h"

#include <map>
#include <vector>

#include "base/error.h"
#include "cluster/objects.h"
#include "cluster/rbac.h"

namespace cluster {
namespace {

const Subject kBootstrappers{.kind = "Group", .name = kBootstrappersGroup};

const std::map<BootstrapRule, std::vector<RbacRow>>& Table() {
  static const std::map<BootstrapRule, std::vector<RbacRow>> table = {
      {BootstrapRule::kGetNodes,
       {{.name = "kubeadm:get-nodes",
         .rules = {{.groups = {""}, .resources = {"nodes"}, .verbs = {"get"}}}},
        {.name = "kubeadm:get-nodes", .role = "kubeadm:get-nodes", .subjects = {kBootstrappers}}}},
      {BootstrapRule::kPostCsrs,
       {{.name = "kubeadm:kubelet-bootstrap",
         .role = "system:node-bootstrapper",
         .subjects = {kBootstrappers}}}},
      {BootstrapRule::kApproveBootstrapCsrs,
       {{.name = "kubeadm:node-autoapprove-bootstrap",
         .role = "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
         .subjects = {kBootstrappers}}}},
      {BootstrapRule::kApproveRotationCsrs,
       {{.name = "kubeadm:node-autoapprove-certificate-rotation",
         .role = "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
         .subjects = {{.kind = "Group", .name = kNodesGroup}}}}},
      {BootstrapRule::kApiServerKubeletClient,
       {{.name = "kubeadm:apiserver-kubelet-client",
         .role = "system:kubelet-api-admin",
         .subjects = {{.kind = "User", .name = "kube-apiserver-kubelet-client"}}}}},
  };
  return table;
}

}  // namespace

void ApplyBootstrapRule(kube::Client& client, BootstrapRule rule) {
  ApplyRbac(client, Table().at(rule));
}

kube::Kubeconfig ClusterInfoKubeconfig(const kube::Kubeconfig& admin) {
  const kube::KubeconfigCluster* current = admin.CurrentCluster();
  if (current == nullptr) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "the kubeconfig's current context names no cluster");
  }
  kube::Kubeconfig info;
  info.clusters[""] = {.server = current->server,
                       .certificate_authority_data = current->certificate_authority_data};
  return info;
}

void PutClusterInfo(kube::Client& client, const kube::Kubeconfig& admin) {
  client.CreateOrUpdate(
      kube::resources::kConfigMap,
      ConfigMap({kPublicNamespace, kClusterInfo},
                {{std::string(kClusterInfoKey), ClusterInfoKubeconfig(admin).Text()}}));
}

void ApplyClusterInfoRbac(kube::Client& client) {
  ApplyRbac(client, ReadOneRows({.name = "kubeadm:bootstrap-signer-clusterinfo",
                                 .name_space = kPublicNamespace,
                                 .resource = "configmaps",
                                 .object = kClusterInfo,
                                 .subjects = {{.kind = "User", .name = "system:anonymous"}}}));
}

}  // namespace cluster
