// SPDX-License-Identifier: Apache-2.0
#include "upgrade/running.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace upgrade {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ImageTag, IsWhatFollowsTheName) {
  const std::pair<const char*, const char*> rows[] = {
      {"registry.k8s.io/kube-apiserver:v1.36.3", "v1.36.3"},
      {"reg:5000/etcd:3.6.8-0", "3.6.8-0"},
      {"reg:5000/etcd", ""},
      {"etcd", ""},
      {"etcd:1", "1"},
      {"reg/kube-apiserver:v1.36.3_x.1", "v1.36.3+x.1"},
      {"reg/kube-apiserver:v1.36.3@sha256:abc", "v1.36.3"},
      {"reg/kube-apiserver@sha256:abc", ""},
      {"", ""}};
  for (const auto& [image, tag] : rows) {
    EXPECT_EQ(ImageTag(image), tag) << image;
  }
}

json::Value Pod(const std::string& component, const std::string& node, const std::string& tag) {
  return {
      {"metadata",
       {{"name", component + "-" + node},
        {"namespace", "kube-system"},
        {"labels", {{"component", component}, {"tier", "control-plane"}}}}},
      {"spec",
       {{"nodeName", node}, {"containers", json::Value::array({{{"image", "reg/x:" + tag}}})}}}};
}

class RunningCluster : public testing::Test {
 protected:
  void PutPod(const std::string& component, const std::string& node, const std::string& tag) {
    server_.Put(kube::resources::kPod, Pod(component, node, tag));
  }
  Running Gather() { return GatherRunning(client_); }

  kube::FakeApiServer server_;
  host::FakeClock clock_;
  kube::Client client_{server_.NewTransport(), clock_, {.limit = std::chrono::milliseconds(50)}};
};

TEST_F(RunningCluster, FindsPodsKubeletsAndCoreDns) {
  PutPod("kube-apiserver", "b", "v1.35.4");
  PutPod("kube-apiserver", "a", "v1.36.0_x");
  PutPod("etcd", "a", "3.6.5-0");
  server_.Put(
      kube::resources::kNode,
      {{"metadata", {{"name", "b"}}}, {"status", {{"nodeInfo", {{"kubeletVersion", "v1.34.2"}}}}}});
  server_.Put(
      kube::resources::kDeployment,
      {{"metadata",
        {{"name", "coredns"}, {"namespace", "kube-system"}, {"labels", {{"k8s-app", "kube-dns"}}}}},
       {"spec",
        {{"template",
          {{"spec",
            {{"containers",
              json::Value::array({{{"image", "reg/dns:v1.11.3_x@sha256:0"}}})}}}}}}}});
  const Running running = Gather();
  EXPECT_EQ(running.cluster.Text(), "1.36.0+x");
  EXPECT_THAT(running.static_pods.at("kube-apiserver"),
              ElementsAre(NodeVersion{"b", "v1.35.4"}, NodeVersion{"a", "v1.36.0+x"}));
  EXPECT_THAT(running.static_pods.at("etcd"), ElementsAre(NodeVersion{"a", "3.6.5-0"}));
  EXPECT_THAT(running.static_pods.at("kube-scheduler"), ElementsAre());
  EXPECT_THAT(running.kubelets, ElementsAre(NodeVersion{"b", "v1.34.2"}));
  EXPECT_EQ(running.core_dns, "v1.11.3_x");
  EXPECT_THAT(MixedVersions(running).value_or(""), HasSubstr("v1.35.4 on b; v1.36.0+x on a"));
}

TEST_F(RunningCluster, NeedsAnApiServerWithAVersion) {
  const auto error = [&]() -> std::string { return base::MessageOf([&] { Gather(); }); };
  EXPECT_THAT(error(), HasSubstr("no Pod of kube-apiserver"));
  PutPod("kube-apiserver", "a", "newest");
  EXPECT_THAT(error(), HasSubstr("on node a is not known: the tag of its image is \"newest\""));
}

TEST_F(RunningCluster, SaysNothingOfApiServersThatAgree) {
  PutPod("kube-apiserver", "a", "v1.35.4");
  PutPod("kube-apiserver", "b", "v1.35.4");
  EXPECT_EQ(MixedVersions(Gather()), std::nullopt);
}

}  // namespace
}  // namespace upgrade
