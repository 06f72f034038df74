// SPDX-License-Identifier: Apache-2.0
#include "control_plane/running.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "objects/fake_mirror_pod.h"

namespace control_plane {
namespace {

using components::Component;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ImageTag, IsTheTextAfterTheImageName) {
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

class RunningCluster : public testing::Test {
 protected:
  RunningCluster() {
    server_.SetText("/version", 200, R"({"gitVersion": "v1.35.4"})");
    for (const char* node : {"a", "b"}) {
      server_.Put(kube::resources::kNode, objects::FakeControlPlaneNode(node));
    }
  }
  void PutPod(Component component, const std::string& node, const std::string& tag) {
    server_.Put(kube::resources::kPod, objects::FakeMirrorPod(component, node, "reg/x:" + tag));
  }
  Running Collect() { return CollectRunning(client_); }

  kube::FakeApiServer server_;
  host::FakeClock clock_;
  kube::Client client_{server_.NewTransport(), clock_, {.limit = std::chrono::milliseconds(50)}};
};

TEST_F(RunningCluster, FindsPodsKubeletsAndCoreDns) {
  PutPod(Component::kApiServer, "b", "v1.35.4");
  PutPod(Component::kApiServer, "a", "v1.36.0_x");
  PutPod(Component::kEtcd, "a", "3.6.5-0");
  json::Value node = objects::FakeControlPlaneNode("b");
  node["status"]["nodeInfo"]["kubeletVersion"] = "v1.34.2";
  server_.Put(kube::resources::kNode, node);
  server_.Put(
      kube::resources::kDeployment,
      {{"metadata",
        {{"name", "coredns"}, {"namespace", "kube-system"}, {"labels", {{"k8s-app", "kube-dns"}}}}},
       {"spec",
        {{"template",
          {{"spec",
            {{"containers",
              json::Value::array({{{"image", "reg/dns:v1.11.3_x@sha256:0"}}})}}}}}}}});
  const Running running = Collect();
  EXPECT_EQ(running.cluster.Text(), "1.36.0+x");
  EXPECT_THAT(running.static_pods.at("kube-apiserver"),
              ElementsAre(NodeVersion{"b", "v1.35.4"}, NodeVersion{"a", "v1.36.0+x"}));
  EXPECT_THAT(running.static_pods.at("etcd"), ElementsAre(NodeVersion{"a", "3.6.5-0"}));
  EXPECT_THAT(running.static_pods.at("kube-scheduler"), ElementsAre());
  EXPECT_THAT(running.kubelets, ElementsAre(NodeVersion{"a", ""}, NodeVersion{"b", "v1.34.2"}));
  EXPECT_EQ(running.core_dns, "v1.11.3_x");
  EXPECT_THAT(MixedVersions(running).value_or(""), HasSubstr("v1.35.4 on b; v1.36.0+x on a"));
}

TEST_F(RunningCluster, NeedsApiServersWithAVersion) {
  PutPod(Component::kApiServer, "a", "newest");
  EXPECT_THAT(base::MessageOf([&] { Collect(); }),
              HasSubstr("on node a is not known: the tag of its image is \"newest\""));
}

// The mirror Pod of a replaced static Pod may be missing for minutes. Then the answer of /version
// must count, too.
TEST_F(RunningCluster, TakesTheVersionFromTheApiServerIfAPodIsMissing) {
  EXPECT_EQ(Collect().cluster.TextWithV(), "v1.35.4");
  PutPod(Component::kApiServer, "a", "v1.34.2");
  EXPECT_EQ(Collect().cluster.TextWithV(), "v1.35.4") << "the Pod of b is missing";
  PutPod(Component::kApiServer, "b", "v1.34.2");
  EXPECT_EQ(Collect().cluster.TextWithV(), "v1.34.2");
  server_.Remove(kube::resources::kPod, "kube-system", "kube-apiserver-b");
  server_.SetText("/version", 200, R"({"gitVersion": "new"})");
  EXPECT_THAT(base::MessageOf([&] { Collect(); }), HasSubstr("says that its version is \"new\""));
}

// Users may run a control plane without static Pods. CollectRunning must list their Pods, but not
// derive the cluster's version from them.
TEST_F(RunningCluster, ShowsAUsersPodsWithoutAMirrorPodAndIgnoresThemForDecisions) {
  json::Value pod = objects::FakeMirrorPod(Component::kApiServer, "a", "reg/x:newest");
  pod["metadata"].erase("annotations");
  server_.Put(kube::resources::kPod, pod);
  Running running = Collect();
  EXPECT_THAT(running.static_pods.at("kube-apiserver"), ElementsAre(NodeVersion{"a", "newest"}));
  EXPECT_EQ(running.cluster.TextWithV(), "v1.35.4");
  pod["metadata"]["annotations"] = {{"kubernetes.io/config.mirror", "x"}};
  pod["metadata"]["ownerReferences"][0]["name"] = "worker";
  server_.Put(kube::resources::kPod, pod);
  EXPECT_THAT(Collect().static_pods.at("kube-apiserver"), ElementsAre());
}

TEST_F(RunningCluster, TakesNoVersionOfAWorkersPod) {
  server_.Put(kube::resources::kNode, objects::FakeNode("worker"));
  PutPod(Component::kApiServer, "a", "v1.35.4");
  for (const char* tag : {"latest", "v9.9.9"}) {
    PutPod(Component::kApiServer, "worker", tag);
    const Running running = Collect();
    EXPECT_EQ(running.cluster.TextWithV(), "v1.35.4") << tag;
    EXPECT_THAT(running.static_pods.at("kube-apiserver"), ElementsAre(NodeVersion{"a", "v1.35.4"}));
    EXPECT_EQ(MixedVersions(running), std::nullopt);
    EXPECT_THAT(NodesBehind(client_, "a", "reg/x:v1.35.4"), ElementsAre());
  }
}

TEST_F(RunningCluster, AcceptsApiServersThatAgreeOnAVersion) {
  PutPod(Component::kApiServer, "a", "v1.35.4");
  PutPod(Component::kApiServer, "b", "v1.35.4");
  EXPECT_EQ(MixedVersions(Collect()), std::nullopt);
}

TEST(CollectApiServerVersion, KeepsThePreRelease) {
  kube::FakeApiServer server;
  host::FakeClock clock;
  kube::Client client(server.NewTransport(), clock, {});
  const std::pair<const char*, const char*> rows[] = {
      {"v1.38.0-beta.0", "v1.38.0-beta.0"}, {"v1.37.2", "v1.37.2"}, {"v1.37", "v1.37.0"}};
  for (const auto& [told, wanted] : rows) {
    server.SetText("/version", 200, fmt::format(R"({{"gitVersion": "{}"}})", told));
    EXPECT_EQ(CollectApiServerVersion(client).TextWithV(), wanted);
  }
}

}  // namespace
}  // namespace control_plane
