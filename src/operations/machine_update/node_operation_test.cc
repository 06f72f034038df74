// SPDX-License-Identifier: Apache-2.0
#include "machine_update/node_operation.h"

#include <gmock/gmock.h>

#include "fleet/cluster_operation.h"

namespace machine_update {
namespace {

UpdatedMachine Machine() {
  return {.name_space = "team",
          .name = "m",
          .uid = "u-1",
          .cluster = "c",
          .version = "v1.37.2",
          .node = "n",
          .control_plane = true,
          .updating = true,
          .generation = 3,
          .config_generation = 2,
          .config = {{"joinConfiguration",
                      {{"nodeRegistration", {{"ignorePreflightErrors", {"Swap"}}}}}}}};
}

const UpdatedNode kNode{.hostname = "n.example",
                        .kubelet_version = "v1.36.3",
                        .cluster_version = "v1.37.2",
                        .old_control_planes = {}};

TEST(OperationFor, IsAnUpgradeOfOneNode) {
  const fleet::ClusterOperation operation =
      fleet::ParseOperation(OperationFor(Machine(), kNode, {.image = "kubelets:1", .command = {}}));
  EXPECT_EQ(operation.name, OperationNameOf(Machine()));
  EXPECT_TRUE(fleet::IsOperationName(operation.name));
  ASSERT_TRUE(operation.spec.upgrade);
  EXPECT_EQ(operation.spec.upgrade->version, "v1.37.2");
  EXPECT_TRUE(operation.spec.upgrade->nodes_only);
  EXPECT_EQ(operation.spec.upgrade->kubelet_image, "kubelets:1");
  EXPECT_THAT(operation.spec.upgrade->ignore_preflight_errors, testing::ElementsAre("Swap"));
  EXPECT_THAT(operation.spec.node_selector,
              testing::ElementsAre(testing::Pair("kubernetes.io/hostname", "n.example")));
  EXPECT_TRUE(operation.Drains());
}

TEST(OperationFor, DoesNotDrainANodeWhoseKubeletStays) {
  UpdatedNode node = kNode;
  node.kubelet_version = "v1.37.2";
  const fleet::ClusterOperation operation =
      fleet::ParseOperation(OperationFor(Machine(), node, {.image = {}, .command = "true"}));
  EXPECT_FALSE(operation.Drains());
  EXPECT_EQ(operation.spec.upgrade->kubelet_command, "true");
}

TEST(OperationNameOf, DependsOnTheMachineAndItsDesiredState) {
  const std::string name = OperationNameOf(Machine());
  EXPECT_EQ(name, OperationNameOf(Machine()));
  UpdatedMachine other = Machine();
  other.uid = "u-2";
  EXPECT_NE(name, OperationNameOf(other));
  other = Machine();
  other.version = "v1.37.3";
  EXPECT_NE(name, OperationNameOf(other));
  other = Machine();
  other.config["clusterConfiguration"]["apiServer"]["extraArgs"] = {{{"name", "v"}}};
  EXPECT_NE(name, OperationNameOf(other));
}

TEST(OperationNameOf, DistinguishesAnUpdateThatReturnsToAnEarlierState) {
  UpdatedMachine later = Machine();
  later.config_generation = 4;
  EXPECT_NE(OperationNameOf(Machine()), OperationNameOf(later));
}

}  // namespace
}  // namespace machine_update
