// SPDX-License-Identifier: Apache-2.0
#include "upgrade/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "kube/wait.h"
#include "static_pods/static_pod.h"

namespace upgrade {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

json::Value UpgradedNode(const std::string& name, const std::string& ready) {
  return {
      {"metadata", {{"name", name}, {"labels", {{"node-role.kubernetes.io/control-plane", ""}}}}},
      {"spec", {{"unschedulable", false}}},
      {"status", {{"conditions", json::Value::array({{{"type", "Ready"}, {"status", ready}}})}}}};
}

json::Value WithCondition(const std::string& type, const std::string& status) {
  return {{"status", {{"conditions", json::Value::array({{{"type", type}, {"status", status}}})}}}};
}

TEST(NotReady, ListsNodesThatAreNotReady) {
  EXPECT_THAT(NotReady({UpgradedNode("a", "True"), UpgradedNode("b", "Unknown"),
                        json::Value{{"metadata", {{"name", "c"}}}}}),
              ElementsAre("b", "c"));
}

class Health : public testing::Test {
 protected:
  void SetUp() override {
    for (const components::Component component : components::kControlPlane) {
      fake_.files.Write(components::ManifestPath(component), "kind: Pod\n", {});
    }
    server_.Put(kube::resources::kNode, UpgradedNode("a", "True"));
  }

  HealthInput Input() {
    return {.host = fake_.host,
            .client = client_,
            .pause_image = "registry/pause:1",
            .job_limits = {.end = std::chrono::milliseconds(100)}};
  }
  static checks::Findings Run(const HealthInput& input) {
    std::vector<checks::Check> checks = StateChecks(input);
    std::ranges::move(JobChecks(input), std::back_inserter(checks));
    return checks::RunChecks(checks);
  }
  // Sets the Job's final condition as soon as it exists, like its controller.
  std::jthread Controller(const std::string& condition) {
    return std::jthread([this, condition](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const auto jobs = other_.List(kube::resources::kJob, "kube-system");
        if (!jobs.empty()) {
          json::Value job = jobs[0];
          job["status"] = WithCondition(condition, "True")["status"];
          server_.Put(kube::resources::kJob, job);
          return;
        }
        host::RealClock().Sleep(std::chrono::milliseconds(2), stop);
      }
    });
  }
  std::vector<json::Value> Jobs() { return other_.List(kube::resources::kJob, "kube-system"); }

  host::FakeHost fake_;
  kube::FakeApiServer server_;
  kube::Client client_{
      server_.NewTransport(), fake_.clock, {.limit = std::chrono::milliseconds(50)}};
  kube::Client other_{server_.NewTransport(), fake_.clock, {}};
};

TEST_F(Health, SucceedsWhenTheJobCompletesAndRemovesIt) {
  HealthInput input = Input();
  input.job_limits.end = std::chrono::seconds(20);
  {
    const std::jthread controller = Controller("Complete");
    EXPECT_THAT(Run(input), IsEmpty());
  }
  EXPECT_THAT(Jobs(), IsEmpty());
  EXPECT_THAT(server_.Requests(),
              Contains(StartsWith("DELETE /apis/batch/v1/namespaces/kube-system/jobs/"
                                  "upgrade-health-check-")));
}

TEST_F(Health, FailsAtOnceWhenTheJobFails) {
  HealthInput input = Input();
  input.job_limits.end = std::chrono::hours(1);
  const std::jthread controller = Controller("Failed");
  const auto findings = Run(input);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "CreateJob");
  EXPECT_THAT(findings[0].what, HasSubstr("failed"));
  EXPECT_THAT(Jobs(), IsEmpty());
}

TEST_F(Health, WaitsForAServerThatDoesNotKnowItsRulesYet) {
  HealthInput input = Input();
  input.job_limits.end = std::chrono::seconds(20);
  for (const char* what :
       {"GET /api/v1/nodes?", "GET /apis/batch/v1/namespaces/kube-system/jobs/", "GET /readyz"}) {
    server_.Inject({.what = what, .status = 403, .reason = "Forbidden", .message = "no rules"});
  }
  const std::jthread controller = Controller("Complete");
  EXPECT_THAT(Run(input), IsEmpty());
}

TEST_F(Health, FailsIfTheJobMayNotBeRead) {
  server_.Inject({.what = "GET /apis/batch/v1/namespaces/kube-system/jobs/",
                  .status = 403,
                  .reason = "Forbidden",
                  .message = "not yours",
                  .times = -1});
  const auto findings = Run(Input());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].what, HasSubstr("not yours"));
}

TEST_F(Health, NeedsNoJobWhereNoNodeTakesPods) {
  server_.Remove(kube::resources::kNode, "", "a");
  EXPECT_THAT(Run(Input()), IsEmpty());
  EXPECT_THAT(server_.Requests(), Not(Contains(StartsWith("POST"))));
}

TEST_F(Health, NamesNodesThatAreNotReadyAndManifestsThatAreMissing) {
  server_.Put(kube::resources::kNode, UpgradedNode("a", "False"));
  fake_.files.Remove(components::ManifestPath(components::Component::kScheduler));
  const std::jthread controller = Controller("Complete");
  HealthInput input = Input();
  input.job_limits.end = std::chrono::seconds(20);
  const auto findings = Run(input);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].id, "ControlPlaneNodesReady");
  EXPECT_THAT(findings[0].what, HasSubstr(": a"));
  EXPECT_EQ(findings[1].id, "StaticPodManifest");
  EXPECT_THAT(findings[1].what, HasSubstr("/etc/kubernetes/manifests/kube-scheduler.yaml"));
}

TEST_F(Health, NamesAManifestThatCannotBeRead) {
  const auto path = components::ManifestPath(components::Component::kScheduler);
  fake_.files.Write(path, "spec:\n  ]: {", {});
  const std::jthread controller = Controller("Complete");
  const auto findings = Run(Input());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "StaticPodManifest");
  EXPECT_THAT(findings[0].what, HasSubstr(path.string() + ": line 2"));
}

TEST_F(Health, OnlyReportsInADryRun) {
  std::vector<std::string> lines;
  std::mutex mutex;
  HealthInput input = Input();
  fake_.files.Remove(components::ManifestPath(components::Component::kScheduler));
  input.perform = [&](const std::string& line, const std::function<void()>&) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
  };
  EXPECT_THAT(Run(input), IsEmpty());
  EXPECT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines, Contains(HasSubstr("kube-scheduler.yaml")));
  EXPECT_THAT(lines, Contains(HasSubstr("Would wait until Job")));
}

}  // namespace
}  // namespace upgrade
