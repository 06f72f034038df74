// SPDX-License-Identifier: Apache-2.0
#include "objects/node.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "kube/fake_cluster.h"

namespace objects {
namespace {

using testing::HasSubstr;

json::Value Node(const std::string& ready) {
  json::Value node = {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", {{"name", "one"}, {"labels", {{"kubernetes.io/hostname", "one"}}}}}};
  if (!ready.empty()) {
    node["status"]["conditions"] = {{{"type", "MemoryPressure"}, {"status", "True"}},
                                    {{"type", "Ready"}, {"status", ready}}};
  }
  return node;
}

using NodeObject = kube::FakeCluster;

TEST_F(NodeObject, NameIsFreeUnlessAReadyNodeHasIt) {
  EXPECT_NO_THROW(RequireFreeName(client_, "one"));
  for (const char* ready : {"", "False", "Unknown"}) {
    EXPECT_FALSE(IsReady(Node(ready)));
    server_.Put(kube::resources::kNode, Node(ready));
    EXPECT_NO_THROW(RequireFreeName(client_, "one")) << ready;
  }
  EXPECT_TRUE(IsReady(Node("True")));
  server_.Put(kube::resources::kNode, Node("True"));
  const base::Error error = base::Thrown([&] { RequireFreeName(client_, "one"); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kAlreadyExists);
  EXPECT_THAT(error.message(), HasSubstr("kubectl delete node one"));
}

TEST_F(NodeObject, RemovesOnlyTheSocketAnnotation) {
  json::Value node = Node("True");
  node["metadata"]["annotations"] = {
      {"kubeadm.alpha.kubernetes.io/cri-socket", "unix:///run/x.sock"}, {"other", "stays"}};
  server_.Put(kube::resources::kNode, node);
  ForgetCriSocket(client_, "one");
  EXPECT_EQ(Stored(kube::resources::kNode, "one")["metadata"]["annotations"].dump(),
            R"({"other":"stays"})");
}

TEST_F(NodeObject, AcceptsANodeWithoutAnnotations) {
  server_.Put(kube::resources::kNode, Node(""));
  EXPECT_NO_THROW(ForgetCriSocket(client_, "one"));
}

}  // namespace
}  // namespace objects
