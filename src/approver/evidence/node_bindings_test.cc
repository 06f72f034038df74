// SPDX-License-Identifier: Apache-2.0
#include "evidence/node_bindings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "evidence/fake_objects.h"
#include "kube/fake_server.h"

namespace evidence {
namespace {

using judgement::Claim;
using judgement::NodeBinding;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

class BindingsTest : public testing::Test {
 protected:
  void PutNode(const std::string& name, const std::string& uid,
               const json::Value& labels = nullptr) {
    server_.Put(kube::resources::kNode, LabelledNodeObject(name, uid, labels));
  }
  void PutMap(const json::Value& data = nullptr) {
    server_.Put(kube::resources::kConfigMap, BindingsObject(data));
  }
  json::Value Data() {
    return json::At(*server_.Find(kube::resources::kConfigMap, "ns", std::string(kBindingsName)),
                    {"data"});
  }
  NodeBinding Read(const std::string& node, const std::vector<std::string>& ips) {
    return bindings_.Read(node, ips, {}).value();
  }
  // Returns why the node's binding is unknown; "" if it is known.
  std::string Problem(const std::string& node) { return bindings_.Read(node, {}, {}).error_or(""); }
  bool Bind(const std::string& node, const std::vector<std::string>& ips) {
    return bindings_.Bind(node, ips, Read(node, ips), {});
  }

  kube::FakeApiServer server_;
  std::unique_ptr<kube::Transport> transport_ = server_.NewTransport();
  NodeBindings bindings_{*transport_, "ns"};
};

TEST_F(BindingsTest, AreReadByTheNextProcess) {
  PutMap();
  PutNode("a", "1");
  EXPECT_EQ(Read("a", {"10.0.0.1"}).addresses, std::nullopt);
  ASSERT_TRUE(Bind("a", {"10.0.0.1", "fd00::1"}));
  const NodeBinding read = NodeBindings(*transport_, "ns").Read("a", {"10.0.0.9"}, {}).value();
  EXPECT_THAT(read.addresses, Optional(ElementsAre("10.0.0.1", "fd00::1")));
}

TEST_F(BindingsTest, BeginWithTheReservedAddresses) {
  PutMap();
  bindings_.Reserve("a", {"10.0.0.1", "fd00::1"}, {});
  PutNode("a", "1");
  const NodeBinding read = Read("a", {"10.0.0.9"});
  EXPECT_TRUE(read.reserved);
  EXPECT_THAT(read.addresses, Optional(ElementsAre("10.0.0.1", "fd00::1")));
  ASSERT_TRUE(Bind("a", {"10.0.0.1"}));
  EXPECT_FALSE(Read("a", {}).reserved);
  EXPECT_THAT(Read("a", {}).addresses, Optional(ElementsAre("10.0.0.1", "fd00::1")));
  PutNode("a", "2");
  EXPECT_EQ(Read("a", {}).addresses, std::nullopt) << "they were for the first Node";
}

TEST_F(BindingsTest, AreNotRefusedToOthersWhileTheyAreReserved) {
  PutMap();
  bindings_.Reserve("a", {"10.0.0.1"}, {});
  PutNode("b", "2");
  EXPECT_THAT(Read("b", {"10.0.0.1"}).others, IsEmpty()) << "a machine that never joined";
  PutNode("a", "1");
  ASSERT_TRUE(Bind("a", {"10.0.0.1"}));
  EXPECT_THAT(Read("b", {"10.0.0.1"}).others, testing::SizeIs(1));
}

TEST_F(BindingsTest, AreReservedAgainByTheNextMachineOfTheName) {
  PutMap();
  bindings_.Reserve("a", {"10.0.0.1"}, {});
  bindings_.Reserve("a", {"10.0.0.2"}, {});
  PutNode("a", "1");
  EXPECT_THAT(Read("a", {}).addresses, Optional(ElementsAre("10.0.0.2")));
}

TEST_F(BindingsTest, AreNotWrittenForARequestWithoutAddresses) {
  PutMap({{"a", R"({"uid":"1","addresses":[]})"}});
  PutNode("a", "1");
  EXPECT_EQ(Read("a", {"10.0.0.1"}).addresses, std::nullopt);
}

TEST_F(BindingsTest, AreRemovedWithTheNode) {
  PutMap();
  PutNode("a", "1");
  ASSERT_TRUE(Bind("a", {"10.0.0.1"}));
  PutNode("a", "2");
  EXPECT_EQ(Read("a", {"10.0.0.9"}).addresses, std::nullopt) << "another one of the same name";
  server_.Remove(kube::resources::kNode, "", "a");
  EXPECT_THAT(Problem("a"), HasSubstr("no Node a"));
}

TEST_F(BindingsTest, NameOtherNodesThatOwnAnAddress) {
  PutMap();
  PutNode("a", "1");
  PutNode("b", "2");
  ASSERT_TRUE(Bind("a", {"10.0.0.1"}));
  EXPECT_THAT(Read("b", {"10.0.0.2"}).others, IsEmpty());
  EXPECT_THAT(Read("b", {"10.0.0.2", "10.0.0.1"}).others,
              ElementsAre(Claim{.name = "10.0.0.1", .by = "Node a", .by_node = true}));
  PutNode("a", "3");
  EXPECT_THAT(Read("b", {"10.0.0.1"}).others, IsEmpty()) << "that a is gone";
}

TEST_F(BindingsTest, AreNotWrittenIfTheObjectsHaveChanged) {
  PutMap();
  PutNode("a", "1");
  PutNode("b", "2");
  const NodeBinding judged = Read("b", {"10.0.0.1"});
  ASSERT_TRUE(Bind("a", {"10.0.0.1"}));
  EXPECT_FALSE(bindings_.Bind("b", {"10.0.0.1"}, judged, {})) << "a was faster";
  EXPECT_FALSE(Data().contains("b"));
  const NodeBinding before = Read("b", {"10.0.0.2"});
  PutNode("b", "3");
  EXPECT_FALSE(bindings_.Bind("b", {"10.0.0.2"}, before, {}));
}

TEST_F(BindingsTest, RecognizeControlPlaneNodesByLabel) {
  PutMap();
  PutNode("a", "1", {{"node-role.kubernetes.io/control-plane", ""}});
  PutNode("b", "2", {{"node-role.kubernetes.io/worker", ""}});
  EXPECT_TRUE(Read("a", {}).control_plane);
  EXPECT_FALSE(Read("b", {}).control_plane);
}

TEST_F(BindingsTest, FailIfTheMapIsMissingOrMalformed) {
  PutNode("a", "1");
  EXPECT_THAT(Problem("a"), HasSubstr("kubectl -n ns create configmap"))
      << "a deleted map does not come back by itself";
  EXPECT_THROW(bindings_.Bind("a", {}, {}, {}), base::Error);
  for (const json::Value& bad : {json::Value("x"), json::Value("{}"), json::Value(R"({"uid":"1"})"),
                                 json::Value(R"({"uid":"","addresses":[]})"),
                                 json::Value(R"({"uid":"1","addresses":[1]})"), json::Value(1)}) {
    PutMap({{"b", bad}});
    EXPECT_THAT(Problem("a"), HasSubstr("the entry of b")) << bad;
  }
}

TEST_F(BindingsTest, ForgetDeletedNodes) {
  json::Value gone;
  for (int i = 0; i < 50; ++i) {
    gone["gone-" + std::to_string(i)] = R"({"uid":"0","addresses":["10.0.1.1"]})";
  }
  PutMap(gone);
  for (int i = 0; i < 20; ++i) {
    const std::string node = "new-" + std::to_string(i);
    PutNode(node, node);
    ASSERT_TRUE(Bind(node, {"10.0.0." + std::to_string(i)}));
  }
  const json::Value data = Data();
  EXPECT_EQ(data.size(), 20U);
  EXPECT_TRUE(data.contains("new-0"));
}

}  // namespace
}  // namespace evidence
