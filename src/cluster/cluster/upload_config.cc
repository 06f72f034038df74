#include "cluster/upload_config.h"

#include "cluster/objects.h"
#include "cluster/rbac.h"
#include "config/marshal.h"

namespace cluster {
namespace {

using data::Json;

const Subject kBootstrappers{.kind = "Group", .name = kBootstrappersGroup};
const Subject kNodes{.kind = "Group", .name = kNodesGroup};

}  // namespace

Json KubeadmConfigMap(const config::ClusterConfiguration& cluster) {
  return ConfigMap({kSystemNamespace, kKubeadmConfigMap},
                   {{std::string(kClusterConfigurationKey), config::MarshalForCluster(cluster)}});
}

Json KubeletConfigMap(const config::ComponentConfig& kubelet) {
  Json map = ConfigMap({kSystemNamespace, kKubeletConfigMap},
                       {{std::string(kKubeletConfigKey), config::Marshal(kubelet.value)}});
  AnnotateHash(map, kubelet);
  return map;
}

void UploadKubeadmConfig(kube::Client& client, const config::ClusterConfiguration& cluster) {
  const Json map = KubeadmConfigMap(cluster);
  client.CreateOrMutate(kube::resources::kConfigMap, map, [&](Json& existing) {
    existing["data"][std::string(kClusterConfigurationKey)] =
        data::At(map, {"data", kClusterConfigurationKey});
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
