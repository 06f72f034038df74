// SPDX-License-Identifier: Apache-2.0
#include "objects/mirror_pod.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "objects/fake_mirror_pod.h"

namespace objects {
namespace {

using components::Component;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kApiServer = Component::kApiServer;

// A Pod that is a mirror Pod except for one property.
struct Impostor {
  const char* name;
  void (*change)(json::Value& pod);
};

constexpr Impostor kImpostors[] = {
    {"on another node", [](json::Value& pod) { pod["spec"]["nodeName"] = "worker"; }},
    {"on no node yet", [](json::Value& pod) { pod["spec"].erase("nodeName"); }},
    {"of another name", [](json::Value& pod) { pod["metadata"]["name"] = "kube-apiserver-x"; }},
    {"of another namespace", [](json::Value& pod) { pod["metadata"]["namespace"] = "default"; }},
    {"not a mirror Pod", [](json::Value& pod) { pod["metadata"].erase("annotations"); }},
    {"without an owner", [](json::Value& pod) { pod["metadata"].erase("ownerReferences"); }},
    {"owned by another Node",
     [](json::Value& pod) { pod["metadata"]["ownerReferences"][0]["name"] = "worker"; }},
    {"owned by no Node",
     [](json::Value& pod) { pod["metadata"]["ownerReferences"][0]["kind"] = "ReplicaSet"; }}};

TEST(MirrorPod, IsTrustedFromTheKubeletOfItsNode) {
  const json::Value pod = FakeMirrorPod(kApiServer, "cp");
  EXPECT_TRUE(IsMirrorPodOf(pod, kApiServer, "cp"));
  EXPECT_FALSE(IsMirrorPodOf(pod, kApiServer, "worker"));
  EXPECT_FALSE(IsMirrorPodOf(pod, Component::kEtcd, "cp"));
  EXPECT_FALSE(IsMirrorPodOf(json::Value(), kApiServer, ""));
  for (const Impostor& each : kImpostors) {
    json::Value impostor = pod;
    each.change(impostor);
    EXPECT_FALSE(IsMirrorPodOf(impostor, kApiServer, "cp")) << each.name;
  }
}

// The client refuses such an answer of an API server, but a manifest or a test may contain such an
// object.
TEST(MirrorPod, HasOwnersAndAnnotationsOfTheRightTypes) {
  json::Value pod = FakeMirrorPod(kApiServer, "cp");
  pod["metadata"]["ownerReferences"] = "cp";
  EXPECT_FALSE(IsMirrorPodOf(pod, kApiServer, "cp"));
  pod = FakeMirrorPod(kApiServer, "cp");
  pod["metadata"]["annotations"] = 1;
  EXPECT_FALSE(IsMirrorPodOf(pod, kApiServer, "cp"));
}

TEST(MirrorPod, IsIgnoredFromAnotherKubelet) {
  json::Value pod = FakeMirrorPod(kApiServer, "cp");
  EXPECT_TRUE(IsPodOf(pod, kApiServer, "cp"));
  pod["metadata"]["ownerReferences"][0]["name"] = "worker";
  EXPECT_FALSE(IsPodOf(pod, kApiServer, "cp"));
  pod["metadata"].erase("annotations");
  EXPECT_TRUE(IsPodOf(pod, kApiServer, "cp")) << "kubelets create mirror Pods only";
  pod["spec"]["nodeName"] = "worker";
  EXPECT_FALSE(IsPodOf(pod, kApiServer, "cp"));
}

class ControlPlanePods : public testing::Test {
 protected:
  std::vector<std::string> Nodes() {
    std::vector<std::string> nodes;
    for (const ControlPlanePod& each :
         CollectControlPlanePods(client_, kApiServer, CollectControlPlaneNodes(client_))) {
      nodes.push_back(each.node);
    }
    return nodes;
  }

  kube::FakeApiServer server_;
  host::FakeClock clock_;
  kube::Client client_{server_.NewTransport(), clock_, {.limit = {}}};
};

// A worker's kubelet may create mirror Pods of any name and label on its own node.
TEST_F(ControlPlanePods, AreOnlyOnNodesWithTheLabel) {
  server_.Put(kube::resources::kNode, FakeControlPlaneNode("cp"));
  server_.Put(kube::resources::kNode, FakeNode("worker"));
  server_.Put(kube::resources::kPod, FakeMirrorPod(kApiServer, "worker"));
  EXPECT_THAT(Nodes(), IsEmpty());
  server_.Put(kube::resources::kPod, FakeMirrorPod(kApiServer, "cp"));
  EXPECT_THAT(Nodes(), ElementsAre("cp"));
}

TEST_F(ControlPlanePods, AreMirrorPodsOnly) {
  server_.Put(kube::resources::kNode, FakeControlPlaneNode("cp"));
  for (const Impostor& each : kImpostors) {
    json::Value impostor = FakeMirrorPod(kApiServer, "cp");
    each.change(impostor);
    server_.Put(kube::resources::kPod, impostor);
    EXPECT_THAT(Nodes(), IsEmpty()) << each.name;
  }
}

}  // namespace
}  // namespace objects
