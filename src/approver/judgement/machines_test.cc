// SPDX-License-Identifier: Apache-2.0
#include "judgement/machines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judgement/names.h"

namespace judgement {
namespace {

Machine Called(const std::string& name, const std::string& node = "") {
  Machine machine{.name = name,
                  .node_ref = node.empty() ? std::nullopt : std::optional(node),
                  .used_by = {},
                  .provider_id = {}};
  machine.addresses = {{.type = "InternalDNS", .address = "panda"}};
  return machine;
}

TEST(MachineIndex, KeepsOtherMachinesOfANameWhenOneIsRemoved) {
  MachineIndex index;
  const MachineKey one{.rank = 0, .name_space = "a", .name = "one"};
  const MachineKey two{.rank = 0, .name_space = "a", .name = "two"};
  index.Put(one, Called("one", "panda"));
  index.Put(two, Called("two", "Panda."));
  EXPECT_EQ(index.Named("panda").size(), 2U);
  index.Remove(one);
  ASSERT_EQ(index.Named("panda").size(), 1U);
  EXPECT_EQ(index.Named("panda").front()->name, "two");
  ASSERT_EQ(index.Owning("panda").size(), 1U);
  EXPECT_EQ(index.Find(one), nullptr);
  EXPECT_EQ(index.size(), 1U);
  index.Remove(two);
  EXPECT_EQ(index.size(), 0U);
  EXPECT_TRUE(index.Named("panda").empty());
}

TEST(MachineIndex, ReplacesAMachineThatChanged) {
  MachineIndex index;
  const MachineKey key{.rank = 0, .name_space = "a", .name = "one"};
  index.Put(key, Called("one", "bear"));
  index.Put(key, Called("one", "panda"));
  EXPECT_TRUE(index.Owning("bear").empty());
  EXPECT_EQ(index.Owning("panda").size(), 1U);
  EXPECT_EQ(index.size(), 1U);
}

TEST(SameIp, ComparesTextsAndAddresses) {
  EXPECT_TRUE(SameIp("fd00::1", "fd00:0::1"));
  EXPECT_TRUE(SameIp("no address", "no address"));
  EXPECT_FALSE(SameIp("10.0.0.1", "10.0.0.2"));
  EXPECT_FALSE(SameIp("10.0.0.1", "no address"));
}

}  // namespace
}  // namespace judgement
