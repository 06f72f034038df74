// SPDX-License-Identifier: Apache-2.0
#include "fleet/facts.h"

#include <gtest/gtest.h>

#include "fleet/fake_fleet.h"
#include "json/rfc3339.h"

namespace fleet {
namespace {

json::Value JobWith(const char* type) {
  return {{"metadata", {{"name", "spring-1"}}},
          {"status",
           {{"completionTime", "2026-01-31T00:00:00Z"},
            {"conditions",
             json::Value::array(
                 {{{"type", type}, {"status", "True"}, {"message", "too many Pods"}}})}}}};
}

TEST(NodeFrom, ReadsRoleAndReadiness) {
  const FleetNode node = NodeFrom(FakeReadyNode("cp", true));
  EXPECT_TRUE(node.control_plane);
  EXPECT_TRUE(node.ready);
  EXPECT_FALSE(node.cordoned);
  EXPECT_EQ(node.labels.size(), 1);
  EXPECT_FALSE(NodeFrom(objects::FakeNode("w")).ready);
}

TEST(NodeFrom, TellsASilentKubeletFromOneThatIsNotReady) {
  json::Value node = FakeReadyNode("w", false);
  json::Value& status = node["status"]["conditions"][0]["status"];
  EXPECT_FALSE(NodeFrom(node).silent);
  status = "False";
  EXPECT_FALSE(NodeFrom(node).silent);
  status = "Unknown";
  EXPECT_TRUE(NodeFrom(node).silent);
}

TEST(JobFrom, ReadsTheState) {
  EXPECT_EQ(JobFrom(JobWith("Complete")).state, TaskJob::State::kSucceeded);
  EXPECT_TRUE(JobFrom(JobWith("Complete")).ended);
  EXPECT_EQ(JobFrom(JobWith("Failed")).state, TaskJob::State::kFailed);
  EXPECT_EQ(JobFrom(JobWith("Failed")).cause, "too many Pods");
  EXPECT_EQ(JobFrom(JobWith("Suspended")).state, TaskJob::State::kActive);
}

TEST(JobFrom, BeginsWithTheCreationOfTheJob) {
  json::Value job = JobWith("Failed");
  EXPECT_FALSE(JobFrom(job).began);
  job["metadata"]["creationTimestamp"] = "2026-01-31T00:00:00Z";
  EXPECT_EQ(JobFrom(job).began, json::ParseRfc3339("2026-01-31T00:00:00Z"));
}

TEST(JobFrom, CountsADeletedJobAsActive) {
  json::Value job = JobWith("Failed");
  job["metadata"]["deletionTimestamp"] = "2026-01-31T00:00:00Z";
  EXPECT_EQ(JobFrom(job).state, TaskJob::State::kActive);
}

TEST(CauseIn, FindsTheErrorOfKubeadm) {
  EXPECT_EQ(CauseIn("[upgrade] line\nerror: no etcd\n  on cp-1\nTo see where\n"),
            "no etcd\n  on cp-1");
  EXPECT_EQ(CauseIn("runc: no memory\n"), "runc: no memory");
  EXPECT_EQ(CauseIn(""), "");
}

TEST(CauseIn, IsShortAndValidUtf8) {
  const std::string cause = CauseIn("error: " + std::string(2000, 'x'));
  EXPECT_EQ(cause.size(), 1024);
  EXPECT_TRUE(cause.ends_with("x…"));
  std::string umlauts;
  for (int i = 0; i < 1000; ++i) {
    umlauts += "ä";
  }
  EXPECT_FALSE(CauseIn(umlauts).contains("\xEF\xBF\xBD")) << "half a character";
  EXPECT_EQ(CauseIn("no \xFF"), "no \xEF\xBF\xBD");
}

TEST(NodeFrom, AcceptsFieldsOfOtherTypes) {
  const FleetNode node = NodeFrom(
      {{"metadata", {{"name", "w"}, {"labels", "text"}, {"annotations", json::Value::array({1})}}},
       {"spec", 5},
       {"status", {{"conditions", "Ready"}}}});
  EXPECT_EQ(node.name, "w");
  EXPECT_FALSE(node.ready);
  EXPECT_FALSE(node.cordoned);
}

TEST(JobFrom, AcceptsFieldsOfOtherTypes) {
  const TaskJob job = JobFrom(
      {{"metadata", json::Value::array()},
       {"status", {{"conditions", json::Value::array({nullptr, "Failed", {{"type", 5}}})}}}});
  EXPECT_EQ(job.state, TaskJob::State::kActive);
  EXPECT_EQ(job.id, "");
}

}  // namespace
}  // namespace fleet
