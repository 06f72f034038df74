// SPDX-License-Identifier: Apache-2.0
#include "config_change/node_problems.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config_change/fake_cluster.h"
#include "config_change/plan.h"
#include "host/fake_host.h"
#include "json/value.h"
#include "kube/fake_server.h"

namespace config_change {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class PodRangesTest : public testing::Test {
 protected:
  void Node(const char* name, const json::Value& spec) {
    server_.Put(kube::resources::kNode, {{"metadata", {{"name", name}}}, {"spec", spec}});
  }
  std::string Problem(const char* networks) {
    return PodRangeProblem(networks, client_).value_or("");
  }

  host::FakeHost fake_;
  kube::FakeApiServer server_;
  kube::Client client_{
      server_.NewTransport(), fake_.clock, {.limit = std::chrono::milliseconds(50)}};
};

TEST_F(PodRangesTest, FitWhenEachIsInItsNetwork) {
  EXPECT_EQ(Problem("10.244.0.0/16"), "") << "there is no node";
  Node("cp-one", {{"podCIDR", "10.244.0.0/24"}, {"podCIDRs", {"10.244.0.0/24"}}});
  Node("old", {{"podCIDR", "10.244.3.0/24"}});
  Node("new", json::Value::object());
  EXPECT_EQ(Problem("10.244.0.0/16"), "");
  EXPECT_EQ(Problem("10.240.0.0/12"), "") << "a larger one";
  EXPECT_EQ(Problem("10.244.0.0/16,fd00::/48"), "") << "one that the nodes have no range of";
  EXPECT_EQ(Problem(""), "") << "nothing is handed out any more";
}

TEST_F(PodRangesTest, NameTheNodeThatDoesNotFit) {
  Node("cp-one", {{"podCIDRs", {"10.244.0.0/24"}}});
  Node("worker", {{"podCIDRs", {"10.244.9.0/24"}}});
  EXPECT_THAT(Problem("10.244.0.0/21"),
              HasSubstr("node worker has the range 10.244.9.0/24, which is not in "
                        "10.244.0.0/21"));
  EXPECT_THAT(Problem("fd00::/48"), HasSubstr("node cp-one has the range 10.244.0.0/24"));
  EXPECT_THAT(Problem("10.244.0.0/25,fd00::/48"), HasSubstr("10.244.0.0/25"));
}

TEST_F(PodRangesTest, KeepTheOrderOfTwoFamilies) {
  Node("dual", {{"podCIDRs", {"10.244.0.0/24", "fd00::/64"}}});
  EXPECT_EQ(Problem("10.244.0.0/16,fd00::/48"), "");
  EXPECT_THAT(Problem("fd00::/48,10.244.0.0/16"), HasSubstr("is not in fd00::/48"));
  EXPECT_THAT(Problem("10.244.0.0/16"),
              HasSubstr("has the range fd00::/64, which would have no network any more"));
}

TEST(KubeletKeys, RefuseAPlanThatAKubeletDoesNotSupport) {
  FakeCluster with;
  const auto configured = [&](const std::vector<std::string>& words) {
    return Complete(ApplySettings(FakeCluster::Stored("one"), words), with.node, with.facts);
  };
  const auto from = configured({"kubernetesVersion=v1.38.0-beta.0"});
  const auto to = configured({"kubernetesVersion=v1.38.0-beta.0", "encryptionAlgorithm=ML-DSA-65"});
  with.server.Put(kube::resources::kNode,
                  {{"metadata", {{"name", "worker"}}},
                   {"status", {{"nodeInfo", {{"kubeletVersion", "v1.37.2"}}}}}});
  EXPECT_THAT(base::MessageOf([&] { MakePlan(with.sources, from, to); }),
              AllOf(HasSubstr("encryptionAlgorithm cannot become ML-DSA-65, nothing was changed"),
                    HasSubstr("node worker")));
}

}  // namespace
}  // namespace config_change
