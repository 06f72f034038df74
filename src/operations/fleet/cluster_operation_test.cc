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

TEST(ParseOperation, ReadsTheOtherActions) {
  const ClusterOperation config = ParseOperation(FakeOperation(
      {{"configApply", {{"set", {"apiServer.extraArgs.v=4", "kubelet.maxPods=9"}}}}}));
  EXPECT_EQ(config.Title(), "configuration apiServer.extraArgs.v=4 kubelet.maxPods=9");
  const ClusterOperation backup =
      ParseOperation(FakeOperation({{"backup",
                                     {{"destination", "s3://b/c/"},
                                      {"recipients", {"age1abc"}},
                                      {"credentialsSecret", "keys"}}}}));
  EXPECT_EQ(backup.spec.backup->credentials_secret, "keys");
  EXPECT_EQ(backup.Title(), "backup to s3://b/c/");
  const ClusterOperation rotation = FakeRotation("etcd");
  EXPECT_EQ(rotation.Title(), "rotation of authority etcd");
  EXPECT_EQ(rotation.spec.rotate_ca->DropAfter().count(), 0);
  EXPECT_EQ(FakeRotation("sa").spec.rotate_ca->DropAfter(), std::chrono::minutes(75));
  const ClusterOperation reboot =
      ParseOperation(FakeOperation({{"reboot", {{"ifRequired", true}}}}));
  EXPECT_TRUE(reboot.spec.reboot->if_required);
  EXPECT_EQ(reboot.Title(), "restart of the hosts");
  const ClusterOperation recovery =
      ParseOperation(FakeOperation({{"recover", {{"force", true}, {"tokenSecret", "token"}}}}));
  EXPECT_TRUE(recovery.spec.recover->force);
  EXPECT_EQ(recovery.spec.recover->token_secret, "token");
  EXPECT_EQ(recovery.Title(), "recovery of kubelets");
}

TEST(ParseOperation, DrainsForAnUpgradeAndARestartOnly) {
  EXPECT_TRUE(FakeUpgrade().Drains());
  EXPECT_TRUE(FakeReboot().Drains());
  EXPECT_FALSE(FakeRenewal().Drains());
  EXPECT_FALSE(FakeRecovery().Drains());
  EXPECT_FALSE(FakeConfig({"apiServer.extraArgs.v=4"}).Drains());
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
      {json::Value::object(), "exactly one of upgrade, renewCertificates"},
      {Upgrade("renewCertificates", json::Value::object()), "exactly one of"},
      {Upgrade("burn", json::Value::object()), "spec: unknown field \"burn\""},
      {{{"rotateCA", {{"authority", "vault"}}}}, "spec.rotateCA.authority"},
      {{{"rotateCA", {{"authority", "sa"}, {"dropAfter", "10m"}}}}, "must be at least 71m for sa"},
      {{{"rotateCA", {{"authority", "etcd"}, {"dropAfter", "-1s"}}}}, "spec.rotateCA.dropAfter"},
      {{{"upgrade", {{"version", "1.37.2"}}}}, "spec.upgrade.version"},
      {{{"upgrade", {{"version", "v1"}}}}, "spec.upgrade.version"},
      {{{"upgrade", {{"version", "v1.37.2"}, {"kubeletImage", "a b"}}}},
       "spec.upgrade.kubeletImage"},
      {{{"upgrade", {{"version", "v1.37.2"}, {"kubeletImage", "-a"}}}},
       "spec.upgrade.kubeletImage"},
      {{{"upgrade",
         {{"version", "v1.37.2"}, {"kubeletImage", "a"}, {"kubeletCommand", "apt-get"}}}},
       "set kubeletCommand or kubeletImage, not both"},
      {{{"renewCertificates", {{"ifExpiresWithin", "30"}}}}, "must be a period such as 30d"},
      {{{"configApply", json::Value::object()}}, "spec.configApply.set"},
      {{{"configApply", {{"set", {"=4"}}}}}, "must be path=value"},
      {{{"backup", {{"destination", "backups"}, {"recipients", {"age1a"}}}}},
       "must be an absolute path"},
      {{{"backup", {{"destination", "/b"}}}}, "spec.backup.recipients"},
      {{{"backup", {{"destination", "/b"}, {"recipients", {"ssh-rsa"}}}}}, "must begin with age1"},
      {{{"backup",
         {{"destination", "/b"}, {"recipients", {"age1a"}}, {"credentialsSecret", "keys"}}}},
       "spec.backup.credentialsSecret"},
      {{{"recover", {{"tokenSecret", "A/B"}}}}, "spec.recover.tokenSecret"},
      {{{"recover", json::Value::object()}, {"rollback", "node"}}, "spec.rollback"},
      {{{"upgrade", "v1.37.2"}}, "spec.upgrade"},
      {Upgrade("maintenanceWindows", json::Value::array({{{"start", "x"}}})),
       "spec.maintenanceWindows[0]: start"},
      {"text", "spec: must be an object"},
      {{{"upgrade", {{"version", std::string(70'000, 'v')}}}}, "spec.upgrade.version"},
      {Upgrade("workers", {{"maxUnavailable", 0}}), "spec.workers.maxUnavailable"},
      {Upgrade("canary", {{"nodes", -1}}), "spec.canary.nodes"},
      {Upgrade("canary", {{"soak", "-1s"}}), "spec.canary.soak"},
      {Upgrade("drain", {{"gracePeriodSeconds", -1}}), "spec.drain.gracePeriodSeconds"},
      {Upgrade("drain", {{"timeout", "0s"}}), "spec.drain.timeout"},
      {Upgrade("nodeTimeout", "0s"), "spec.nodeTimeout"},
      {Upgrade("nodeTimeout", 5), "spec.nodeTimeout"},
      {Upgrade("rollback", "cluster"), "spec.rollback"},
      {Upgrade("healthGates", json::Value::array({{{"apiVersion", "v1"}}})),
       "spec.healthGates[0]: resource"},
      {{{"renewCertificates", json::Value::object()}, {"rollback", "node"}},
       "spec.rollback: must be none, except for an upgrade"},
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

TEST(WithoutUnusedParts, LeavesOutALargeSpec) {
  json::Value object = FakeOperation(Upgrade());
  object["metadata"]["annotations"] = {{"a", "b"}};
  EXPECT_EQ(WithoutUnusedParts(object).at("spec"), object.at("spec"));
  EXPECT_FALSE(WithoutUnusedParts(object).at("metadata").contains("annotations"));
  object["spec"]["upgrade"]["kubeletCommand"] = std::string(70'000, 'x');
  EXPECT_FALSE(WithoutUnusedParts(object).contains("spec"));
  EXPECT_THAT(base::MessageOf([&] { ParseOperation(WithoutUnusedParts(object)); }),
              HasSubstr("at most 65536 bytes"));
}

TEST(SpecHash, EqualsTheHashOfEarlierBuilds) {
  EXPECT_EQ(FakeUpgrade().SpecHash(), "1fc760323d307b58") << "a running operation would be refused";
}

TEST(SpecHash, DiffersWithTheSpecOnly) {
  ClusterOperation other = FakeUpgrade();
  other.uid = "x";
  other.spec.paused = true;
  other.spec.rollback = Rollback::kNode;
  EXPECT_EQ(other.SpecHash(), FakeUpgrade().SpecHash());
  other.spec.workers.max_unavailable = 2;
  EXPECT_NE(other.SpecHash(), FakeUpgrade().SpecHash());
}

}  // namespace
}  // namespace fleet
