// SPDX-License-Identifier: Apache-2.0
#include "upgrade/find_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/version.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "objects/fake_mirror_pod.h"
#include "upgrade/config_lines.h"

namespace upgrade {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class FindPlanTest : public testing::Test {
 protected:
  void RunApiServer(const std::string& tag) {
    server_.Put(kube::resources::kNode, objects::FakeControlPlaneNode("a"));
    server_.Put(kube::resources::kPod,
                objects::FakeMirrorPod(components::Component::kApiServer, "a", "reg/x:" + tag));
  }

  PlanView Find(const PlanQuestion& question, const config::Fetch& fetch = {}) {
    return FindPlan(question, {.client = client_, .fetch = fetch, .stored = stored_},
                    [this](const std::string& line) { said_.push_back(line); });
  }

  kube::FakeApiServer server_;
  host::FakeClock clock_;
  kube::Client client_{server_.NewTransport(), clock_, {.limit = std::chrono::milliseconds(50)}};
  config::StoredConfig stored_;
  std::vector<std::string> said_;
};

TEST_F(FindPlanTest, OffersAndReportsARequestedVersion) {
  RunApiServer("v1.36.0");
  const PlanView view = Find({.wanted = std::string(config::kKubeadmVersion)});
  ASSERT_EQ(view.upgrades.size(), 1U);
  EXPECT_EQ(view.upgrades.front().offer.version, config::kKubeadmVersion);
  EXPECT_THAT(view.upgrades.front().components, testing::Not(IsEmpty()));
  EXPECT_THAT(said_, Contains("[upgrade/versions] Cluster version: 1.36.0"));
  EXPECT_THAT(said_, Contains("[upgrade/versions] Target version: " +
                              std::string(config::kKubeadmVersion)));
}

// Scripts extract versions from these lines (docs/interfaces.md).
TEST_F(FindPlanTest, NamesTheVersionsThatArePublished) {
  RunApiServer("v1.36.0");
  Find({}, [](const std::string& url) {
    return std::string(url.contains("stable-1.36") ? "v1.36.5" : "v1.37.1");
  });
  EXPECT_THAT(said_, Contains("[upgrade/versions] kubeadm version: " +
                              std::string(config::kKubeadmVersion)));
  EXPECT_THAT(said_, Contains("[upgrade/versions] Target version: v1.37.1"));
  EXPECT_THAT(said_, Contains("[upgrade/versions] Latest version in the v1.36 series: v1.36.5"));
}

TEST_F(FindPlanTest, DoesNotOfferTheRunningVersion) {
  RunApiServer(std::string(config::kKubeadmVersion));
  EXPECT_THAT(Find({.wanted = std::string(config::kKubeadmVersion)}).upgrades, IsEmpty());
}

TEST_F(FindPlanTest, FailsWithoutAnApiServer) { EXPECT_THROW(Find({}), base::Error); }

TEST(ConfigLines, AreTheYamlBehindAHeading) {
  config::ClusterConfiguration cluster;
  cluster.kubernetes_version = "v1.36.0";
  const std::vector<std::string> lines = ConfigLines(cluster);
  EXPECT_THAT(lines.front(), HasSubstr("configuration:"));
  EXPECT_THAT(lines, Contains("\tkubernetesVersion: v1.36.0"));
}

}  // namespace
}  // namespace upgrade
