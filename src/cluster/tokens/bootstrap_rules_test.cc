#include "tokens/bootstrap_rules.h"

#include <gmock/gmock.h>

#include "kube/fake_cluster.h"

namespace tokens {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

using BootstrapRules = kube::FakeCluster;

TEST_F(BootstrapRules, LetsNodesBootstrap) {
  for (const BootstrapRule rule : kBootstrapRules) {
    ApplyBootstrapRule(client_, rule);
  }
  EXPECT_THAT(Writes(), ElementsAre("POST clusterroles", "POST clusterrolebindings",
                                    "POST clusterrolebindings", "POST clusterrolebindings",
                                    "POST clusterrolebindings", "POST clusterrolebindings"));
  EXPECT_EQ(Stored(kube::resources::kClusterRoleBinding,
                   "kubeadm:node-autoapprove-certificate-rotation")["subjects"][0]["name"],
            "system:nodes");
}

}  // namespace
}  // namespace tokens
