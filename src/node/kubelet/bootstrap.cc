// SPDX-License-Identifier: Apache-2.0
#include "kubelet/bootstrap.h"

#include <utility>

namespace kubelet {

kube::Kubeconfig BootstrapKubeconfig(kube::Kubeconfig way, const std::string& cluster_name,
                                     const std::optional<std::string>& own_server) {
  kube::KubeconfigContext& current = way.contexts.at(way.current_context);
  auto cluster = way.clusters.extract(current.cluster);
  cluster.key() = cluster_name;
  if (own_server) {
    cluster.mapped().server = *own_server;
  }
  current.cluster = cluster_name;
  way.clusters.insert(std::move(cluster));
  return way;
}

}  // namespace kubelet
