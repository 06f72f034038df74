// SPDX-License-Identifier: Apache-2.0
#include "fleet/driver.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "fleet/fake_fleet.h"
#include "kube/fake_cluster.h"
#include "kube/objects.h"

namespace fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSpace = "slipway-fleet";

class DriverTest : public kube::FakeCluster {
 protected:
  void SetUp() override {
    server_.Put(kube::resources::kNode, FakeReadyNode("cp", true));
    server_.Put(kube::resources::kNode, FakeReadyNode("w", false));
  }
  FleetDriver NewDriver(ClusterOperation operation = FakeUpgrade()) {
    return {std::move(operation),
            {.client = client_,
             .clock = clock_,
             .random = random_,
             .settings = {.name_space = kSpace, .image = "img"}}};
  }
  host::FakeRandom random_;
  json::Value JobOf(const std::string& node) {
    for (const json::Value& job : client_.List(kube::resources::kJob, kSpace)) {
      if (json::TextAt(job, {"spec", "template", "spec", "nodeName"}) == node) {
        return job;
      }
    }
    return {};
  }
  void End(const std::string& node, const char* type) {
    json::Value job = JobOf(node);
    job["status"]["conditions"] =
        json::Value::array({{{"type", type}, {"status", "True"}, {"message", "BackoffLimit"}}});
    server_.Put(kube::resources::kJob, job);
  }
  // Completes all Jobs.
  void EndAll() {
    for (json::Value job : client_.List(kube::resources::kJob, kSpace)) {
      job["status"]["conditions"] =
          json::Value::array({{{"type", "Complete"}, {"status", "True"}}});
      server_.Put(kube::resources::kJob, job);
    }
  }
  bool IsCordoned(const std::string& node) {
    return NodeFrom(Stored(kube::resources::kNode, node)).cordoned;
  }
  void RemovePod(const std::string& name) {
    server_.Remove(kube::resources::kPod, "default", name);
  }
};

TEST_F(DriverTest, CompletesAnOperation) {
  server_.Put(kube::resources::kPod, FakePod("web", "cp"));
  FleetDriver driver = NewDriver();
  driver.Advance();
  EXPECT_TRUE(IsCordoned("cp"));
  EXPECT_TRUE(JobOf("cp").is_null()) << "a Pod is still there";
  EXPECT_EQ(driver.Advance().tasks[0].message, "default/web: it is terminating");
  RemovePod("web");
  driver.Advance();
  EXPECT_FALSE(JobOf("cp").is_null());
  EXPECT_FALSE(IsCordoned("w"));
  End("cp", "Complete");
  driver.Advance();
  EXPECT_FALSE(IsCordoned("cp"));
  for (int pass = 0; pass < 2; ++pass) {
    driver.Advance();
  }
  End("w", "Complete");
  driver.Advance();
  EXPECT_TRUE(driver.Advance().IsDone());
  driver.RemoveJobs();
  EXPECT_THAT(client_.List(kube::resources::kJob, kSpace), IsEmpty());
}

TEST_F(DriverTest, ContinuesWhereAnotherDriverWasKilled) {
  for (int pass = 0; pass < 2; ++pass) {
    NewDriver().Advance();
  }
  End("cp", "Complete");
  for (int pass = 0; pass < 3; ++pass) {
    NewDriver().Advance();
  }
  End("w", "Complete");
  NewDriver().Advance();
  EXPECT_TRUE(NewDriver().Advance().IsDone());
  EXPECT_EQ(client_.List(kube::resources::kJob, kSpace).size(), 2);
}

TEST_F(DriverTest, StopsAfterAFailedJobAndTriesItAgain) {
  FleetDriver driver = NewDriver();
  driver.Advance();
  driver.Advance();
  End("cp", "Failed");
  const std::string job = json::TextAt(JobOf("cp"), {"metadata", "name"});
  json::Value pod = FakePod("p", "cp", "Job");
  pod["metadata"]["namespace"] = kSpace;
  pod["metadata"]["labels"] = {{"batch.kubernetes.io/job-name", job},
                               {"operations.slipway/operation", "spring"}};
  pod["status"]["containerStatuses"] = json::Value::array(
      {{{"state",
         {{"terminated",
           {{"finishedAt", "2026-01-31T00:00:00Z"}, {"message", "error: no image"}}}}}}});
  server_.Put(kube::resources::kPod, pod);
  const FleetProgress progress = driver.Advance();
  EXPECT_TRUE(progress.HasFailed());
  EXPECT_EQ(progress.tasks[0].message, "no image");
  EXPECT_TRUE(IsCordoned("cp")) << "Pods must not come back to a broken node";
  driver.RemoveFailedJobs();
  EXPECT_TRUE(JobOf("cp").is_null());
  driver.Advance();
  EXPECT_FALSE(JobOf("cp").is_null());
}

TEST_F(DriverTest, UncordonsANodeWhosePodsWouldBeLost) {
  server_.Put(kube::resources::kPod, FakePod("bare", "cp", ""));
  FleetDriver driver = NewDriver();
  driver.Advance();
  EXPECT_THAT(driver.Advance().tasks[0].message, HasSubstr("default/bare"));
  EXPECT_FALSE(IsCordoned("cp"));
  EXPECT_TRUE(driver.Advance().HasFailed());
}

TEST_F(DriverTest, FailsADrainAfterItsTimeout) {
  json::Value pod = FakePod("web", "cp");
  pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  server_.Put(kube::resources::kPod, pod);
  ClusterOperation operation = FakeUpgrade();
  operation.spec.drain.timeout = std::chrono::minutes(1);
  FleetDriver driver = NewDriver(operation);
  driver.Advance();
  driver.Advance();
  clock_.Advance(std::chrono::seconds(59));
  EXPECT_EQ(driver.Advance().tasks[0].stage, Stage::kDraining);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_THAT(driver.Advance().tasks[0].message, HasSubstr("did not end within 1m0s"));
  EXPECT_FALSE(IsCordoned("cp"));
}

TEST_F(DriverTest, RefusesAnotherSpecOfTheSameName) {
  NewDriver().Advance();
  NewDriver().Advance();
  ClusterOperation other = FakeUpgrade();
  other.spec.upgrade->version = "v1.36.0";
  const base::Error error = base::Thrown([&] { NewDriver(other).Advance(); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("another spec"));
}

TEST_F(DriverTest, KeepsThePathFromWhichAnUpgradeBegan) {
  server_.SetText("/version", 200, R"({"gitVersion": "v1.35.1"})");
  EXPECT_EQ(NewDriver().Advance().tasks[0].step, "check");
  server_.SetText("/version", 200, R"({"gitVersion": "v1.36.1"})");
  EXPECT_EQ(NewDriver().Advance().tasks[0].step, "check") << "the Job has the version";
}

TEST_F(DriverTest, GoesOverSeveralMinorVersionsOnOneNode) {
  server_.Remove(kube::resources::kNode, "", "w");
  server_.SetText("/version", 200, R"({"gitVersion": "v1.35.1"})");
  FleetDriver driver = NewDriver();
  for (int pass = 0; pass < 20 && !driver.Advance().IsDone(); ++pass) {
    EndAll();
  }
  EXPECT_TRUE(driver.Advance().IsDone());
  EXPECT_EQ(client_.List(kube::resources::kJob, kSpace).size(), 3) << "check, v1.36, v1.37";
  EXPECT_FALSE(IsCordoned("cp"));
}

TEST_F(DriverTest, BeginsNoNodeOutsideTheMaintenanceWindows) {
  ClusterOperation operation = FakeUpgrade();  // the clock shows midnight
  operation.spec.maintenance_windows = {
      {.start = "0 1 * * *", .duration = std::chrono::hours(1), .time_zone = {}}};
  FleetDriver driver = NewDriver(operation);
  EXPECT_THAT(driver.Advance().waiting, HasSubstr("begins at 2026-01-01T01:00:00Z"));
  EXPECT_FALSE(IsCordoned("cp"));
  clock_.Advance(std::chrono::hours(1));
  driver.Advance();
  EXPECT_TRUE(IsCordoned("cp"));
  clock_.Advance(std::chrono::hours(1));
  driver.Advance();
  EXPECT_FALSE(JobOf("cp").is_null()) << "a node in change is completed";
}

TEST_F(DriverTest, SharesACertificateKeyUntilTheRotationIsDone) {
  server_.Put(kube::resources::kNode, FakeReadyNode("cp-2", true));
  FleetDriver driver = NewDriver(FakeRotation("etcd"));
  driver.Advance();
  const json::Value secret = Stored(kube::resources::kSecret, "spring-certificate-key", kSpace);
  EXPECT_EQ(kube::SecretValue(secret, "key").value().size(), 64);
  for (int pass = 0; pass < 20 && !driver.Advance().IsDone(); ++pass) {
    EndAll();
    EXPECT_EQ(Stored(kube::resources::kSecret, "spring-certificate-key", kSpace), secret);
  }
  EXPECT_EQ(client_.List(kube::resources::kJob, kSpace).size(), 6);
  EXPECT_TRUE(Stored(kube::resources::kSecret, "spring-certificate-key", kSpace).is_null());
}

TEST_F(DriverTest, StartsNoJobTwice) {
  server_.Inject({.what = "POST /apis/batch/v1",
                  .status = 409,
                  .reason = "AlreadyExists",
                  .message = "exists"});
  FleetDriver driver = NewDriver();
  driver.Advance();
  EXPECT_NO_THROW(driver.Advance());
}

TEST_F(DriverTest, RollsAFailedNodeBackAndTriesItAgain) {
  ClusterOperation operation = FakeUpgrade();
  operation.spec.rollback = Rollback::kNode;
  FleetDriver driver = NewDriver(operation);
  driver.Advance();
  driver.Advance();
  End("cp", "Failed");
  driver.Advance();
  const std::string id = PlanFleet(operation, {FakeControlPlane("cp")}).waves[0].tasks[0].id;
  json::Value job = Stored(kube::resources::kJob, id + "-undo", kSpace);
  EXPECT_EQ(json::At(job, {"spec", "template", "spec", "containers"}).at(0).at("command").back(),
            "--only-to=v1.37.2");
  job["status"]["conditions"] = json::Value::array({{{"type", "Complete"}, {"status", "True"}}});
  server_.Put(kube::resources::kJob, job);
  EXPECT_FALSE(driver.Advance().HasFailed());
  EXPECT_TRUE(driver.Advance().HasFailed());
  EXPECT_FALSE(IsCordoned("cp")) << "it runs the old version";
  EXPECT_FALSE(IsCordoned("w"));
  driver.RemoveFailedJobs();
  EXPECT_THAT(client_.List(kube::resources::kJob, kSpace), IsEmpty());
}

TEST_F(DriverTest, BeginsNoFurtherNodeWhileAHealthGateIsClosed) {
  ClusterOperation operation = FakeRenewal();
  operation.spec.health_gates = {
      {.api_version = "v1", .resource = "nodes", .name_space = "", .name = "w", .condition = ""}};
  json::Value node = FakeReadyNode("w", false);
  json::Value sick = node;
  sick["status"]["conditions"] = json::Value::array({{{"type", "Ready"}, {"status", "False"}}});
  server_.Put(kube::resources::kNode, sick);
  FleetDriver driver = NewDriver(operation);
  EXPECT_EQ(driver.Advance().waiting, "a health gate is closed: nodes w: Ready is False");
  EXPECT_TRUE(JobOf("cp").is_null());
  server_.Put(kube::resources::kNode, node);
  driver.Advance();
  EXPECT_FALSE(JobOf("cp").is_null());
  server_.Put(kube::resources::kNode, sick);
  End("cp", "Complete");
  driver.Advance();
  EXPECT_TRUE(driver.Advance().IsDone()) << "a gate does not keep a begun node from its end";
}

}  // namespace
}  // namespace fleet
