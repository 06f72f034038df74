// SPDX-License-Identifier: Apache-2.0
#include "kubelet/bootstrap.h"

#include <gtest/gtest.h>

namespace kubelet {
namespace {

kube::Kubeconfig Found() {
  kube::Kubeconfig way;
  way.current_context = "found";
  way.contexts["found"].cluster = "somewhere";
  way.clusters["somewhere"].server = "https://10.0.0.1:6443";
  way.clusters["somewhere"].certificate_authority_data = "CA";
  return way;
}

TEST(BootstrapKubeconfig, HasTheClusterUnderItsOwnName) {
  const kube::Kubeconfig config = BootstrapKubeconfig(Found(), "prod", std::nullopt);
  ASSERT_NE(config.CurrentCluster(), nullptr);
  EXPECT_EQ(config.CurrentCluster()->server, "https://10.0.0.1:6443");
  EXPECT_EQ(config.CurrentCluster()->certificate_authority_data, "CA");
  EXPECT_EQ(config.contexts.at("found").cluster, "prod");
  EXPECT_EQ(config.clusters.size(), 1U);
}

TEST(BootstrapKubeconfig, PointsToTheNodesOwnApiServerOnAControlPlane) {
  const kube::Kubeconfig config = BootstrapKubeconfig(Found(), "prod", "https://10.0.0.3:6443");
  EXPECT_EQ(config.CurrentCluster()->server, "https://10.0.0.3:6443");
}

}  // namespace
}  // namespace kubelet
