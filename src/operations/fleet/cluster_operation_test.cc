// SPDX-License-Identifier: Apache-2.0
#include "fleet/cluster_operation.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "fleet/fake_fleet.h"

namespace fleet {
namespace {

using testing::HasSubstr;

std::string ErrorOf(json::Value spec) {
  return base::MessageOf([&] { ParseOperation(FakeOperation(std::move(spec))); });
}

json::Value Upgrade(const std::string& field = "", json::Value value = {}) {
  json::Value spec = {{"upgrade", {{"version", "v1.37.2"}}}};
  if (!field.empty()) {
    spec[field] = std::move(value);
  }
  return spec;
}

TEST(ParseOperation, ReadsEveryField) {
  const ClusterOperation operation = ParseOperation(FakeOperation({
      {"upgrade",
       {{"version", "v1.37.2"},
        {"kubeletCommand", "install-kubelet"},
        {"ignorePreflightErrors", {"NumCPU"}}}},
      {"nodeSelector", {{"pool", "a"}}},
      {"workers", {{"maxUnavailable", 3}}},
      {"canary", {{"nodes", 2}, {"soak", "5m"}}},
      {"drain",
       {{"enabled", false}, {"force", true}, {"gracePeriodSeconds", 7}, {"timeout", "1m"}}},
      {"nodeTimeout", "1h"},
  }));
  const OperationSpec& spec = operation.spec;
  EXPECT_EQ(operation.name, "spring");
  EXPECT_EQ(spec.upgrade->kubelet_command, "install-kubelet");
  EXPECT_THAT(spec.upgrade->ignore_preflight_errors, testing::ElementsAre("NumCPU"));
  EXPECT_EQ(spec.node_selector.at("pool"), "a");
  EXPECT_EQ(spec.workers.max_unavailable, 3);
  EXPECT_EQ(spec.canary.soak, std::chrono::minutes(5));
  EXPECT_EQ(spec.drain.grace_period_seconds, 7);
  EXPECT_EQ(spec.node_timeout, std::chrono::hours(1));
  EXPECT_FALSE(operation.Drains());
}

TEST(ParseOperation, DrainsForAnUpgradeOnly) {
  EXPECT_TRUE(FakeUpgrade().Drains());
  EXPECT_FALSE(FakeRenewal().Drains());
}

TEST(ParseOperation, RefusesAnotherKind) {
  json::Value object = FakeOperation(Upgrade());
  object["kind"] = "Pod";
  EXPECT_THAT(base::MessageOf([&] { ParseOperation(object); }),
              HasSubstr("must be a ClusterOperation of operations.slipway/v1alpha1"));
}

TEST(ParseOperation, RefusesInvalidSpecs) {
  struct Case {
    json::Value spec;
    std::string message;
  };
  const Case cases[] = {
      {json::Value::object(), "exactly one of upgrade and renewCertificates"},
      {Upgrade("renewCertificates", json::Value::object()), "exactly one of"},
      {Upgrade("rotateCA", json::Value::object()), "spec: unknown field \"rotateCA\""},
      {{{"upgrade", {{"version", "1.37.2"}}}}, "spec.upgrade.version"},
      {{{"upgrade", {{"version", "v1"}}}}, "spec.upgrade.version"},
      {{{"renewCertificates", {{"ifExpiresWithin", "30"}}}}, "must be a period such as 30d"},
      {Upgrade("workers", {{"maxUnavailable", 0}}), "spec.workers.maxUnavailable"},
      {Upgrade("canary", {{"nodes", -1}}), "spec.canary.nodes"},
      {Upgrade("canary", {{"soak", "-1s"}}), "spec.canary.soak"},
      {Upgrade("drain", {{"gracePeriodSeconds", -1}}), "spec.drain.gracePeriodSeconds"},
      {Upgrade("drain", {{"timeout", "0s"}}), "spec.drain.timeout"},
      {Upgrade("nodeTimeout", "0s"), "spec.nodeTimeout"},
      {Upgrade("nodeTimeout", 5), "spec.nodeTimeout"},
  };
  for (const Case& row : cases) {
    EXPECT_THAT(ErrorOf(row.spec), HasSubstr(row.message)) << json::Compact(row.spec);
  }
}

TEST(ParseOperation, RefusesNamesThatAreTooLongForItsJobs) {
  json::Value object = FakeOperation(Upgrade());
  object["metadata"]["name"] = std::string(40, 'a');
  EXPECT_NO_THROW(ParseOperation(object));
  for (const std::string& name : {std::string(41, 'a'), std::string("a.b"), std::string()}) {
    object["metadata"]["name"] = name;
    EXPECT_THAT(base::MessageOf([&] { ParseOperation(object); }), HasSubstr("metadata.name"));
  }
}

TEST(SpecHash, DiffersWithTheSpecOnly) {
  ClusterOperation other = FakeUpgrade();
  other.uid = "x";
  other.spec.paused = true;
  EXPECT_EQ(other.SpecHash(), FakeUpgrade().SpecHash());
  other.spec.workers.max_unavailable = 2;
  EXPECT_NE(other.SpecHash(), FakeUpgrade().SpecHash());
}

}  // namespace
}  // namespace fleet
