#include "cluster/upload_config.h"

#include "cluster/objects.h"
#include "cluster/rbac.h"
#include "config/marshal.h"

namespace cluster {
namespace {

const Subject kBootstrappers{.kind = "Group", .name = kBootstrappersGroup};
const Subject kNodes{.kind = "Group", .name = kNodesGroup};

}  // namespace

json::Value KubeadmConfigMap(const config::ClusterConfiguration& cluster) {
  return ConfigMap({kSystemNamespace, kKubeadmConfigMap},
                   {{std::string(kClusterConfigurationKey), config::MarshalForCluster(cluster)}});
}

json::Value KubeletConfigMap(const config::ComponentConfig& kubelet) {
  json::Value map = ConfigMap({kSystemNamespace, kKubeletConfigMap},
                              {{std::string(kKubeletConfigKey), config::Marshal(kubelet.value)}});
  AnnotateHash(map, kubelet);
  return map;
}

void UploadKubeadmConfig(kube::Client& client, const config::ClusterConfiguration& cluster) {
  const json::Value map = KubeadmConfigMap(cluster);
  client.CreateOrMutate(kube::resources::kConfigMap, map, [&](json::Value& existing) {
    existing["data"][std::string(kClusterConfigurationKey)] =
        json::At(map, {"data", kClusterConfigurationKey});
  });
  ApplyRbac(client, ReadOneRows({.name = "kubeadm:nodes-kubeadm-config",
                                 .name_space = kSystemNamespace,
                                 .resource = "configmaps",
                                 .object = kKubeadmConfigMap,
                                 .subjects = {kBootstrappers, kNodes}}));
}

void UploadKubeletConfig(kube::Client& client, const config::ComponentConfig& kubelet) {
  client.CreateOrUpdate(kube::resources::kConfigMap, KubeletConfigMap(kubelet));
  ApplyRbac(client, ReadOneRows({.name = "kubeadm:kubelet-config",
                                 .name_space = kSystemNamespace,
                                 .resource = "configmaps",
                                 .object = kKubeletConfigMap,
                                 .subjects = {kNodes, kBootstrappers}}));
}

}  // namespace cluster
