#include "cluster/upload_config.h"

#include "cluster/objects.h"
#include "cluster/rbac.h"
#include "config/versions.h"
#include "data/yaml.h"

namespace cluster {
namespace {

using data::Json;

const Subject kBootstrappers{.kind = "Group", .name = kBootstrappersGroup};
const Subject kNodes{.kind = "Group", .name = kNodesGroup};

}  // namespace

std::string ClusterConfigurationText(const config::ClusterConfiguration& cluster) {
  Json value = data::Encode(cluster, config::kV1beta4);
  value["apiVersion"] = "kubeadm.k8s.io/v1beta4";
  value["kind"] = "ClusterConfiguration";
  if (!cluster.ci_kubernetes_version.empty()) {
    value["kubernetesVersion"] = cluster.ci_kubernetes_version;
  }
  return data::EmitYaml(value);
}

Json KubeadmConfigMap(const config::ClusterConfiguration& cluster) {
  return ConfigMap({kSystemNamespace, kKubeadmConfigMap},
                   {{std::string(kClusterConfigurationKey), ClusterConfigurationText(cluster)}});
}

Json KubeletConfigMap(const config::ComponentConfig& kubelet) {
  Json map = ConfigMap({kSystemNamespace, kKubeletConfigMap},
                       {{std::string(kKubeletConfigKey), data::EmitYaml(kubelet.value)}});
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
