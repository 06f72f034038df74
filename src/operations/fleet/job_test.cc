// SPDX-License-Identifier: Apache-2.0
#include "fleet/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/fake_fleet.h"

namespace fleet {
namespace {

json::Value Job(const ClusterOperation& operation) {
  const FleetPlan plan = PlanFleet(operation, {FakeWorker("w")});
  return JobFor(operation, plan.waves[0].tasks[0], {.name_space = "ns", .image = "img:1"});
}

const json::Value& PodOf(const json::Value& job) {
  return json::At(job, {"spec", "template", "spec"});
}

TEST(JobFor, RunsTheTaskOnItsNode) {
  const json::Value job = Job(FakeUpgrade());
  EXPECT_EQ(PodOf(job).at("nodeName"), "w");
  const json::Value& container = PodOf(job).at("containers").at(0);
  EXPECT_EQ(container.at("image"), "img:1");
  EXPECT_EQ(container.at("command"), json::Value::array({"/usr/bin/kubeadm", "fleet", "host-exec",
                                                         "--", "upgrade", "node"}));
  EXPECT_EQ(json::TextAt(job, {"metadata", "namespace"}), "ns");
  EXPECT_EQ(json::TextAt(job, {"metadata", "annotations", "operations.slipway/node"}), "w");
}

TEST(JobFor, KeepsShellVariablesFromTheKubelet) {
  ClusterOperation operation = FakeUpgrade();
  operation.spec.upgrade->kubelet_command = "get $(uname -m) $KUBELET_VERSION";
  EXPECT_EQ(PodOf(Job(operation)).at("containers").at(0).at("command").back(),
            "--upgrade-kubelet-command=get $$(uname -m) $$KUBELET_VERSION");
}

TEST(JobFor, RunsInTheImageOfTheKubelets) {
  ClusterOperation operation = FakeUpgrade();
  operation.spec.upgrade->kubelet_image = "registry.test/kubelets:v1.37.2";
  const json::Value job = Job(operation);
  const json::Value& container = PodOf(job).at("containers").at(0);
  EXPECT_EQ(container.at("image"), "registry.test/kubelets:v1.37.2");
  EXPECT_EQ(container.at("command").back(), "--node-packages=/kubelets");
}

TEST(JobFor, GivesThePodNoTokenAndSparesItFromDrains) {
  const json::Value job = Job(FakeUpgrade());
  EXPECT_EQ(PodOf(job).at("automountServiceAccountToken"), false);
  EXPECT_EQ(
      json::TextAt(job, {"spec", "template", "metadata", "labels", "operations.slipway/operation"}),
      "spring");
  EXPECT_EQ(PodOf(job).at("tolerations"), json::Value::array({{{"operator", "Exists"}}}));
}

TEST(JobFor, FailsAtOnceOnlyAfterAFailureOfKubeadmItself) {
  const json::Value job = Job(FakeUpgrade());
  const json::Value& rules = json::At(job, {"spec", "podFailurePolicy", "rules"});
  ASSERT_EQ(rules.size(), 1);
  EXPECT_EQ(rules[0].at("action"), "FailJob");
  EXPECT_EQ(json::At(rules[0], {"onExitCodes", "values"}), json::Value::array({1, 2}));
  EXPECT_EQ(PodOf(job).at("restartPolicy"), "Never") << "the policy requires it";
  EXPECT_EQ(json::At(job, {"spec", "activeDeadlineSeconds"}), 30 * 60);
}

TEST(JobFor, TakesCredentialsFromASecret) {
  const ClusterOperation operation = FakeBackup();
  const FleetPlan plan = PlanFleet(operation, {FakeControlPlane("cp")});
  const json::Value job =
      JobFor(operation, plan.waves[0].tasks[0], {.name_space = "ns", .image = "i"});
  const json::Value& variable = PodOf(job).at("containers").at(0).at("env").at(0);
  EXPECT_EQ(variable.at("name"), "AWS_ACCESS_KEY_ID");
  EXPECT_EQ(json::TextAt(variable, {"valueFrom", "secretKeyRef", "name"}), "keys");
  EXPECT_FALSE(PodOf(Job(FakeUpgrade())).at("containers").at(0).contains("env"));
}

TEST(JobFor, TakesTheTokenFromASecretAndNotByAnArgument) {
  const json::Value job = Job(FakeRecovery());
  const json::Value& container = PodOf(job).at("containers").at(0);
  EXPECT_EQ(container.at("command").back(), "recover") << "arguments are visible to every process";
  ASSERT_EQ(container.at("env").size(), 1);
  const json::Value& variable = container.at("env").at(0);
  EXPECT_EQ(variable.at("name"), "BOOTSTRAP_TOKEN");
  EXPECT_EQ(json::TextAt(variable, {"valueFrom", "secretKeyRef", "name"}), "token");
}

TEST(JobFor, TakesTheCertificateKeyFromASecret) {
  const ClusterOperation operation = FakeRotation("etcd");
  const FleetPlan plan = PlanFleet(operation, {FakeControlPlane("a"), FakeControlPlane("b")});
  const json::Value job =
      JobFor(operation, plan.waves[0].tasks[0], {.name_space = "ns", .image = "i"});
  const json::Value& container = PodOf(job).at("containers").at(0);
  EXPECT_EQ(container.at("command").back(), "--certificate-key=$(CERTIFICATE_KEY)");
  EXPECT_EQ(json::TextAt(container.at("env").at(0), {"valueFrom", "secretKeyRef", "name"}),
            "spring-certificate-key");
}

TEST(JobFor, RecordsTheVersionFromWhichAnUpgradeBegan) {
  const FleetPlan plan = PlanFleet(FakeUpgrade(), {FakeWorker("w")}, "v1.34.1");
  const json::Value job =
      JobFor(FakeUpgrade(), plan.waves[0].tasks[0], {.name_space = "ns", .image = "i"});
  EXPECT_EQ(JobFrom(job).from, "v1.34.1");
}

TEST(JobFor, PassesTheTraceOfTheTaskAndTheCollectorOn) {
  const ClusterOperation operation = FakeBackup();
  const FleetPlan plan = PlanFleet(operation, {FakeControlPlane("cp")});
  const TraceSettings traces{.seed = "s",
                             .environment = {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}}};
  const NodeTask& task = plan.waves[0].tasks[0];
  const json::Value job =
      JobFor(operation, task, {.name_space = "ns", .image = "i", .traces = traces});
  const std::string traceparent =
      otlp::ToTraceparent(ContextOf(ContextOf(operation, traces), "cp", ""));
  EXPECT_EQ(json::TextAt(job, {"metadata", "annotations", "operations.slipway/traceparent"}),
            traceparent);
  const json::Value& variables = PodOf(job).at("containers").at(0).at("env");
  EXPECT_EQ(variables.at(0).at("name"), "AWS_ACCESS_KEY_ID") << "the other variables stay";
  EXPECT_EQ(variables.at(variables.size() - 2),
            json::Value({{"name", "TRACEPARENT"}, {"value", traceparent}}));
  EXPECT_EQ(variables.back().at("value"), "http://c");
  EXPECT_THAT(json::Compact(Job(FakeUpgrade())), testing::Not(testing::HasSubstr("TRACEPARENT")));
}

TEST(JobFor, BelongsToItsObject) {
  EXPECT_TRUE(json::At(Job(FakeUpgrade()), {"metadata", "ownerReferences"}).is_null());
  ClusterOperation operation = FakeUpgrade();
  operation.uid = "u-1";
  EXPECT_EQ(json::At(Job(operation), {"metadata", "ownerReferences"}).at(0).at("uid"), "u-1");
}

}  // namespace
}  // namespace fleet
