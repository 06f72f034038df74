// SPDX-License-Identifier: Apache-2.0
#include "inventories/machine_source.h"

#include <gtest/gtest.h>

#include "kube/fake_server.h"

namespace inventories {
namespace {

TEST(FindMachineApi, FollowsTheServersPreference) {
  kube::FakeApiServer server;
  const auto transport = server.NewTransport();
  EXPECT_FALSE(FindMachineApi(*transport, {"g", ""}, {}));
  server.SetText("/apis/g", 200, R"({"preferredVersion":{"version":"v2"}})");
  server.SetText("/apis/g/v1", 200, R"({"resources":[{"name":"machines/status","kind":"Machine"},
    {"name":"machines","kind":"Machine"}]})");
  server.SetText("/apis/g/v2", 200, R"({"resources":[{"name":"others","kind":"Other"}]})");
  EXPECT_FALSE(FindMachineApi(*transport, {"g", ""}, {}));
  EXPECT_FALSE(FindMachineApi(*transport, {"g", "v3"}, {}));
  const auto api = FindMachineApi(*transport, {"g", "v1"}, {});
  ASSERT_TRUE(api);
  EXPECT_EQ(api->plural, "machines");
}

}  // namespace
}  // namespace inventories
