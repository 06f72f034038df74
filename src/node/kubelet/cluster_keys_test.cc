// SPDX-License-Identifier: Apache-2.0
#include "kubelet/cluster_keys.h"

#include <gmock/gmock.h>

#include "kube/fake_cluster.h"

namespace kubelet {
namespace {

using testing::HasSubstr;

class ClusterKeysTest : public kube::FakeCluster {
 protected:
  void Node(const char* name, const char* kubelet) {
    server_.Put(kube::resources::kNode,
                {{"metadata", {{"name", name}}},
                 {"status", {{"nodeInfo", {{"kubeletVersion", kubelet}}}}}});
  }
  std::string Problem(const char* algorithm) { return KeyProblem(algorithm, client_).value_or(""); }
};

TEST_F(ClusterKeysTest, EachKubeletMustKnowMlDsa) {
  EXPECT_EQ(Problem("ML-DSA-65"), "") << "there is no node";
  Node("cp-one", "v1.38.0-beta.0");
  Node("strange", "custom");
  EXPECT_EQ(Problem("ML-DSA-65"), "");
  Node("worker", "v1.37.2");
  for (const char* algorithm : {"ML-DSA-44", "ML-DSA-65", "ML-DSA-87"}) {
    EXPECT_THAT(Problem(algorithm), HasSubstr("the kubelet of node worker is of v1.37.2"));
  }
  EXPECT_EQ(Problem("ECDSA-P256"), "");
  EXPECT_EQ(Problem(""), "");
}

TEST(KeyProblem, JudgesOneKubelet) {
  EXPECT_THAT(KeyProblem("ML-DSA-44", "w", "v1.37.2").value_or(""), HasSubstr("node w is of"));
  EXPECT_EQ(KeyProblem("ML-DSA-44", "w", "v1.38.1"), std::nullopt);
  EXPECT_THAT(KeyProblem("ML-DSA-44", "w", "v1.38.0-alpha.0").value_or(""), HasSubstr("is of"));
  EXPECT_EQ(KeyProblem("ML-DSA-44", "w", "v1.38.1-custom.2"), std::nullopt);
  EXPECT_EQ(KeyProblem("RSA-2048", "w", "v1.37.2"), std::nullopt);
  EXPECT_EQ(KeyProblem("ML-DSA-44", "w", ""), std::nullopt);
}

}  // namespace
}  // namespace kubelet
