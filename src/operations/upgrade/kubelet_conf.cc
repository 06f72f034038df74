// SPDX-License-Identifier: Apache-2.0
#include "upgrade/kubelet_conf.h"

#include "config/addresses.h"
#include "config/feature_gates.h"
#include "config/paths.h"
#include "kubeconfigs/load.h"

namespace upgrade {

std::optional<kube::Kubeconfig> OwnServerConf(const host::Files& files,
                                              const config::Init& config) {
  const host::fs::path path = host::fs::path(config::kKubernetesDir) / config::kKubeletConf;
  const config::ApiEndpoint& local = config.init.local_api_endpoint;
  const std::string shared = config::ControlPlaneEndpointUrl(config.cluster, local);
  const std::string own = config::LocalEndpointUrl(local);
  if (!config::KubeletAsksOwnServer(config.cluster) || shared == own || !files.Exists(path)) {
    return std::nullopt;
  }
  const kube::Kubeconfig kubeconfig = kube::Kubeconfig::Parse(files.Read(path));
  const kube::KubeconfigCluster* cluster = kubeconfig.CurrentCluster();
  if (cluster == nullptr || cluster->server != shared) {
    return std::nullopt;
  }
  return kubeconfigs::WithServer(kubeconfig, own);
}

}  // namespace upgrade
