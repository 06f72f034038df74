// SPDX-License-Identifier: Apache-2.0
#include "inventories/machine_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "evidence/decode.h"

namespace inventories {
namespace {

using evidence::DecodeMachine;
using evidence::kClusterApiGroup;
using judgement::Machine;
using testing::AllOf;
using testing::HasSubstr;
using testing::Optional;

const std::string kCapi(kClusterApiGroup);

Machine Of(const std::string& name_space, const std::string& name, const std::string& cluster) {
  return {.api_group = kCapi, .name_space = name_space, .name = name, .cluster = cluster};
}

TEST(MachineScope, NeedsNoClusterNameIfAllMachinesAreOfOneCluster) {
  MachineScope scope(kCapi, "");
  EXPECT_TRUE(scope.Put(Of("ns", "a", "one")));
  EXPECT_TRUE(scope.Put(Of("ns", "b", "one")));
  EXPECT_TRUE(scope.Put(Of("ns", "b", "one"))) << "again";
  EXPECT_EQ(scope.Problem(), std::nullopt);
}

TEST(MachineScope, IsAmbiguousWithMachinesOfSeveralClusters) {
  for (const Machine& other : {Of("ns", "c", "two"), Of("other", "c", "one"), Of("ns", "c", "")}) {
    MachineScope scope(kCapi, "");
    scope.Put(Of("ns", "a", "one"));
    scope.Put(other);
    EXPECT_THAT(scope.Problem(),
                Optional(AllOf(HasSubstr("2 clusters"), HasSubstr("--machine-cluster"))));
    scope.Remove(other.name_space, "c");
    EXPECT_EQ(scope.Problem(), std::nullopt) << "it is gone";
  }
}

TEST(MachineScope, IncludesOnlyMachinesOfTheNamedCluster) {
  MachineScope scope(kCapi, "one");
  EXPECT_TRUE(scope.Put(Of("ns", "a", "one")));
  EXPECT_FALSE(scope.Put(Of("ns", "b", "two")));
  EXPECT_FALSE(scope.Put(Of("ns", "c", "")));
  EXPECT_FALSE(scope.Put(Of("ns", "d", "ONE")));
  EXPECT_EQ(scope.Problem(), std::nullopt);
  EXPECT_TRUE(scope.Put(Of("elsewhere", "a", "one")));
  EXPECT_THAT(scope.Problem(), Optional(HasSubstr("--machine-namespace")))
      << "names are a namespace's";
  EXPECT_FALSE(scope.Put(Of("elsewhere", "a", "two"))) << "it has moved";
  EXPECT_EQ(scope.Problem(), std::nullopt);
}

TEST(MachineScope, MachinesOfTheMachineApiBelongToTheirOwnCluster) {
  MachineScope scope("machine.openshift.io", "one");
  EXPECT_TRUE(scope.Put(Of("ns", "a", "")));
  EXPECT_TRUE(scope.Put(Of("other", "a", "two")));
  EXPECT_EQ(scope.Problem(), std::nullopt);
}

TEST(DecodeMachine, ReadsTheClusterNameOfClusterApiOnly) {
  const auto object = json::Parse(R"({"spec":{"clusterName":"one"}})");
  EXPECT_EQ(DecodeMachine(object, kCapi).cluster, "one");
  EXPECT_EQ(DecodeMachine(object, "machine.openshift.io").cluster, "");
  for (const char* bad : {R"({"spec":{"clusterName":1}})", R"({"spec":"x"})"}) {
    EXPECT_THROW(DecodeMachine(json::Parse(bad), kCapi), base::Error);
    EXPECT_NO_THROW(DecodeMachine(json::Parse(bad), "machine.openshift.io"));
  }
}

}  // namespace
}  // namespace inventories
