// SPDX-License-Identifier: Apache-2.0
#include "stored_config/upload.h"

#include <algorithm>
#include <iterator>

#include "config/marshal.h"
#include "kube/objects.h"
#include "stored_config/config_hash.h"

namespace stored_config {
namespace {

const objects::Subject kBootstrappers{.kind = "Group", .name = objects::kBootstrappersGroup};
const objects::Subject kNodes{.kind = "Group", .name = objects::kNodesGroup};

std::vector<objects::RbacRow> KubeadmConfigReaders() {
  return objects::ReadOneRows({.name = "kubeadm:nodes-kubeadm-config",
                               .name_space = kube::kSystemNamespace,
                               .resource = "configmaps",
                               .object = kKubeadmConfigMap,
                               .subjects = {kBootstrappers, kNodes}});
}

std::vector<objects::RbacRow> KubeletConfigReaders() {
  return objects::ReadOneRows({.name = "kubeadm:kubelet-config",
                               .name_space = kube::kSystemNamespace,
                               .resource = "configmaps",
                               .object = kKubeletConfigMap,
                               .subjects = {kNodes, kBootstrappers}});
}

}  // namespace

std::vector<objects::RbacRow> ReaderRows() {
  std::vector<objects::RbacRow> rows = KubeadmConfigReaders();
  std::ranges::copy(KubeletConfigReaders(), std::back_inserter(rows));
  return rows;
}

json::Value KubeadmConfigMap(const config::ClusterConfiguration& cluster) {
  return kube::ConfigMap(
      {kube::kSystemNamespace, kKubeadmConfigMap},
      {{std::string(kClusterConfigurationKey), config::MarshalForCluster(cluster)}});
}

json::Value KubeletConfigMap(const config::ComponentConfig& kubelet) {
  json::Value map =
      kube::ConfigMap({kube::kSystemNamespace, kKubeletConfigMap},
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
  objects::ApplyRbac(client, KubeadmConfigReaders());
}

void UploadKubeletConfig(kube::Client& client, const config::ComponentConfig& kubelet) {
  client.CreateOrUpdate(kube::resources::kConfigMap, KubeletConfigMap(kubelet));
  objects::ApplyRbac(client, KubeletConfigReaders());
}

}  // namespace stored_config
