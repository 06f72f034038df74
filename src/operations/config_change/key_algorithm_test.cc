// SPDX-License-Identifier: Apache-2.0
#include "config_change/key_algorithm.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config_change/fake_cluster.h"
#include "config_change/plan.h"

namespace config_change {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class KeyAlgorithmTest : public testing::Test {
 protected:
  void Node(const char* name, const char* kubelet) {
    with_.server.Put(kube::resources::kNode,
                     {{"metadata", {{"name", name}}},
                      {"status", {{"nodeInfo", {{"kubeletVersion", kubelet}}}}}});
  }
  std::string Problem(const char* algorithm) {
    return KeyAlgorithmProblem(algorithm, with_.client).value_or("");
  }

  FakeCluster with_;
};

TEST_F(KeyAlgorithmTest, EachKubeletMustKnowMlDsa) {
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

TEST_F(KeyAlgorithmTest, RefusesAPlanThatAKubeletDoesNotSupport) {
  const auto configured = [&](const std::vector<std::string>& words) {
    return Complete(ApplySettings(FakeCluster::Stored("one"), words), with_.node, with_.facts);
  };
  const auto from = configured({"kubernetesVersion=v1.38.0-beta.0"});
  const auto to = configured({"kubernetesVersion=v1.38.0-beta.0", "encryptionAlgorithm=ML-DSA-65"});
  Node("worker", "v1.37.2");
  EXPECT_THAT(base::MessageOf([&] { MakePlan(with_.sources, from, to); }),
              AllOf(HasSubstr("encryptionAlgorithm cannot become ML-DSA-65, nothing was changed"),
                    HasSubstr("node worker")));
}

}  // namespace
}  // namespace config_change
