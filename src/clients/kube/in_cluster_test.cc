// SPDX-License-Identifier: Apache-2.0
#include "kube/in_cluster.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace kube {
namespace {

std::string ServerFor(const std::string& address) {
  host::FakeHost fake;
  fake.environment.variables = {{"KUBERNETES_SERVICE_HOST", address},
                                {"KUBERNETES_SERVICE_PORT", "443"}};
  return PodConfig(fake.host, "give a kubeconfig").clusters.at("pod").server;
}

TEST(PodConfig, PointsToTheServiceOfTheCluster) {
  EXPECT_EQ(ServerFor("10.96.0.1"), "https://10.96.0.1:443");
  EXPECT_EQ(ServerFor("fd00::1"), "https://[fd00::1]:443");
  EXPECT_THROW(ServerFor(""), base::Error) << "this is not a Pod";
}

}  // namespace
}  // namespace kube
