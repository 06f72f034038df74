// SPDX-License-Identifier: Apache-2.0
#include "fleet/health_gates.h"

#include <gmock/gmock.h>

#include "json/value.h"
#include "kube/fake_cluster.h"

namespace fleet {
namespace {

using testing::HasSubstr;

constexpr kube::Resource kDatabase{"db.test", "v1", "databases", "Database", true};

HealthGate Gate() {
  return {.api_version = "db.test/v1",
          .resource = "databases",
          .name_space = "shop",
          .name = "orders",
          .condition = "Healthy"};
}

json::Value Database(const std::string& status, int seen = 2) {
  return {
      {"apiVersion", "db.test/v1"},
      {"kind", "Database"},
      {"metadata", {{"name", "orders"}, {"namespace", "shop"}, {"generation", 2}}},
      {"status",
       {{"observedGeneration", seen},
        {"conditions",
         json::Value::array({{{"type", "Healthy"}, {"status", status}, {"message", "2 of 3"}}})}}}};
}

TEST(JudgeGate, OpensOnlyForATrueConditionOfTheNewestGeneration) {
  EXPECT_EQ(JudgeGate(Gate(), Database("True")), "");
  EXPECT_EQ(JudgeGate(Gate(), Database("False")),
            "databases shop/orders: Healthy is False: 2 of 3");
  EXPECT_THAT(JudgeGate(Gate(), Database("Unknown")), HasSubstr("Healthy is Unknown"));
  EXPECT_THAT(JudgeGate(Gate(), Database("True", 1)), HasSubstr("of an older generation"));
  HealthGate other = Gate();
  other.condition = "";
  EXPECT_EQ(JudgeGate(other, Database("True")), "databases shop/orders: it has no condition Ready");
}

TEST(JudgeGate, IsClosedForAStatusOfOtherTypes) {
  for (const json::Value& status :
       {json::Value(5), json::Value{{"conditions", "x"}}, json::Value{{"conditions", {1, 2}}}}) {
    EXPECT_THAT(JudgeGate(Gate(), {{"status", status}}), HasSubstr("no condition"));
  }
}

TEST(ProblemOf, NamesTheFieldOfAGate) {
  EXPECT_EQ(ProblemOf(Gate()), "");
  const auto problem = [](std::string HealthGate::* field, const char* value) {
    HealthGate gate = Gate();
    gate.*field = value;
    return ProblemOf(gate);
  };
  EXPECT_EQ(problem(&HealthGate::api_version, "v1"), "");
  EXPECT_EQ(problem(&HealthGate::name_space, ""), "");
  for (const char* value : {"", "/v1", "apps/", "apps/v1/x", "../v1", "apps/V1"}) {
    EXPECT_THAT(problem(&HealthGate::api_version, value), HasSubstr("apiVersion: ")) << value;
  }
  EXPECT_THAT(problem(&HealthGate::resource, "a/b"), HasSubstr("resource: "));
  EXPECT_THAT(problem(&HealthGate::name_space, "a/b"), HasSubstr("namespace: "));
  EXPECT_THAT(problem(&HealthGate::name, "?x=y"), HasSubstr("name: "));
}

class ClosedGateTest : public kube::FakeCluster {};

TEST_F(ClosedGateTest, NamesTheFirstClosedGate) {
  HealthGate missing = Gate();
  missing.name = "stock";
  EXPECT_EQ(CollectClosedGate({}, client_), "");
  server_.Put(kDatabase, Database("True"));
  EXPECT_EQ(CollectClosedGate({Gate()}, client_), "");
  EXPECT_EQ(CollectClosedGate({Gate(), missing}, client_),
            "a health gate is closed: databases shop/stock: it does not exist");
  server_.Put(kDatabase, Database("False"));
  EXPECT_EQ(CollectClosedGate({Gate(), missing}, client_),
            "a health gate is closed: databases shop/orders: Healthy is False: 2 of 3");
}

}  // namespace
}  // namespace fleet
