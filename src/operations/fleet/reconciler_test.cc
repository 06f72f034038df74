// SPDX-License-Identifier: Apache-2.0
#include "fleet/reconciler.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "fleet/fake_fleet.h"
#include "json/rfc3339.h"
#include "kube/fake_cluster.h"
#include "kube/objects.h"

namespace fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSpace = "slipway-fleet";

class ReconcilerTest : public kube::FakeCluster {
 protected:
  void SetUp() override {
    server_.Put(kube::resources::kNode, FakeReadyNode("cp", true));
    server_.Put(kube::resources::kNode, FakeReadyNode("w", false));
  }
  void PutOperation(const std::string& name, const std::string& created,
                    json::Value spec = {{"upgrade", {{"version", "v1.37.2"}}}}) {
    json::Value object = FakeOperation(std::move(spec));
    object["metadata"]["name"] = name;
    object["metadata"]["uid"] = "uid-of-" + name;
    object["metadata"]["generation"] = 1;
    object["metadata"]["creationTimestamp"] = created;
    server_.Put(kClusterOperation, object);
  }
  json::Value Operation(const std::string& name) { return Stored(kClusterOperation, name); }
  std::string PhaseOf(const std::string& name) {
    return json::TextAt(Operation(name), {"status", "phase"});
  }
  void Change(const std::string& name, const std::function<void(json::Value& object)>& change) {
    json::Value object = Operation(name);
    change(object);
    server_.Put(kClusterOperation, object);
  }
  void EndJobs(const char* type) {
    for (json::Value job : client_.List(kube::resources::kJob, kSpace)) {
      job["status"]["conditions"] =
          json::Value::array({{{"type", type}, {"status", "True"}, {"message", "why"}}});
      server_.Put(kube::resources::kJob, job);
    }
  }
  bool IsCordoned(const std::string& node) {
    return NodeFrom(Stored(kube::resources::kNode, node)).cordoned;
  }
  // Returns the reasons of all Events.
  std::vector<std::string> Reasons() {
    std::vector<std::string> reasons;
    for (const json::Value& event : client_.List(kube::resources::kEvent, "default")) {
      reasons.push_back(json::TextAt(event, {"reason"}));
    }
    return reasons;
  }
  // Returns the message of condition Stalled; "" if it is not True.
  std::string StallOf(const std::string& name) {
    const json::Value object = Operation(name);
    const json::Value* condition = kube::FindCondition(object, "Stalled");
    return condition != nullptr && json::TextAt(*condition, {"status"}) == "True"
               ? json::TextAt(*condition, {"message"})
               : "";
  }
  void Refuse(const std::string& what, int status, const std::string& reason, int times = -1) {
    server_.Inject(
        {.what = what, .status = status, .reason = reason, .message = "not now", .times = times});
  }
  void Pass(int times = 1) {
    for (int i = 0; i < times; ++i) {
      reconciler_.Pass();
    }
  }

  host::FakeRandom random_;
  Reconciler reconciler_{
      client_, clock_, random_, {.jobs = {.name_space = kSpace, .image = "img"}, .history = 1}};
};

TEST_F(ReconcilerTest, DrivesAnObjectAndReportsIt) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  Pass(2);
  EXPECT_EQ(PhaseOf("spring"), "Running");
  EXPECT_THAT(json::At(Operation("spring"), {"metadata", "finalizers"}),
              ElementsAre("operations.slipway/release-nodes"));
  Pass();
  EndJobs("Complete");
  Pass(5);
  EndJobs("Complete");
  Pass(3);
  EXPECT_EQ(PhaseOf("spring"), "Complete");
  EXPECT_EQ(json::TextAt(Operation("spring"), {"status", "progress"}), "2/2");
  EXPECT_THAT(json::At(Operation("spring"), {"metadata", "finalizers"}), IsEmpty());
  EXPECT_THAT(reconciler_.metrics().Text(), HasSubstr("slipway_operations{phase=\"Complete\"} 1"));
}

TEST_F(ReconcilerTest, RunsOneObjectAtATime) {
  PutOperation("second", "2026-01-02T00:00:00Z");
  PutOperation("first", "2026-01-01T00:00:00Z");
  Pass(2);
  EXPECT_EQ(PhaseOf("first"), "Running");
  EXPECT_EQ(PhaseOf("second"), "Pending");
  EXPECT_EQ(json::TextAt(Operation("second"), {"status", "message"}), "waits for operation first");
}

TEST_F(ReconcilerTest, BeginsNoNodeWhilePaused) {
  PutOperation("spring", "2026-01-01T00:00:00Z",
               {{"upgrade", {{"version", "v1.37.2"}}}, {"paused", true}});
  Pass(3);
  EXPECT_EQ(PhaseOf("spring"), "Paused");
  EXPECT_FALSE(IsCordoned("cp"));
  Change("spring", [](json::Value& object) { object["spec"]["paused"] = false; });
  Pass();
  EXPECT_TRUE(IsCordoned("cp"));
}

TEST_F(ReconcilerTest, ReportsTheCauseOfAFailureAndStops) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  Pass(2);
  EndJobs("Failed");
  Pass(3);
  EXPECT_EQ(PhaseOf("spring"), "Failed");
  EXPECT_EQ(json::TextAt(Operation("spring"), {"status", "message"}), "cp: why");
  EXPECT_FALSE(IsCordoned("w"));
  EXPECT_THAT(Reasons(), testing::IsSupersetOf({"NodeFailed", "OperationFailed"}));
}

TEST_F(ReconcilerTest, UncordonsTheNodesOfADeletedObjectOnceItsJobHasEnded) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  Pass(2);
  Change("spring", [](json::Value& object) {
    object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:09Z";
  });
  Pass();
  EXPECT_TRUE(IsCordoned("cp")) << "its Job runs";
  EndJobs("Complete");
  Pass();
  EXPECT_FALSE(IsCordoned("cp"));
  EXPECT_THAT(json::At(Operation("spring"), {"metadata", "finalizers"}), IsEmpty());
}

TEST_F(ReconcilerTest, FailsAnObjectThatSelectsNoNode) {
  PutOperation("spring", "2026-01-01T00:00:00Z",
               {{"upgrade", {{"version", "v1.37.2"}}}, {"nodeSelector", {{"pool", "none"}}}});
  Pass();
  EXPECT_EQ(PhaseOf("spring"), "Failed");
  EXPECT_THAT(json::TextAt(Operation("spring"), {"status", "message"}),
              HasSubstr("no node has the labels"));
}

TEST_F(ReconcilerTest, ShowsHealthAsKstatusReadsIt) {
  const auto conditions = [&] {
    std::string text;
    for (const char* type : {"Ready", "Reconciling", "Stalled"}) {
      const json::Value object = Operation("spring");
      text += json::TextAt(*kube::FindCondition(object, type), {"status"}) + " ";
    }
    return text;
  };
  PutOperation("spring", "2026-01-01T00:00:00Z", {{"renewCertificates", json::Value::object()}});
  Pass(2);
  EXPECT_EQ(conditions(), "False True False ");
  EndJobs("Complete");
  Pass(2);
  EXPECT_EQ(conditions(), "True False False ");
  PutOperation("spring", "2026-01-01T00:00:00Z", "text");
  Pass();
  EXPECT_EQ(conditions(), "False False True ");
}

TEST_F(ReconcilerTest, KeepsTheTimesOfEachNode) {
  PutOperation("spring", "2026-01-01T00:00:00Z", {{"renewCertificates", json::Value::object()}});
  Pass(2);
  const std::string begin = json::FormatRfc3339(clock_.NowSeconds());
  clock_.Advance(std::chrono::seconds(30));
  EndJobs("Complete");
  Pass(3);
  const json::Value row = json::At(Operation("spring"), {"status", "nodes"}).at(0);
  EXPECT_EQ(json::TextAt(row, {"startTime"}), begin);
  EXPECT_EQ(json::TextAt(row, {"completionTime"}), json::FormatRfc3339(clock_.NowSeconds()));
}

TEST_F(ReconcilerTest, BeginsANodeWithItsJobIfNoPassSawItRun) {
  PutOperation("spring", "2026-01-01T00:00:00Z", {{"renewCertificates", json::Value::object()}});
  Pass();  // creates the Job
  const std::string begin = json::FormatRfc3339(clock_.NowSeconds());
  for (json::Value job : client_.List(kube::resources::kJob, kSpace)) {
    job["metadata"]["creationTimestamp"] = begin;
    server_.Put(kube::resources::kJob, job);
  }
  clock_.Advance(std::chrono::seconds(30));
  EndJobs("Complete");
  Pass(2);
  const json::Value row = json::At(Operation("spring"), {"status", "nodes"}).at(0);
  EXPECT_EQ(json::TextAt(row, {"startTime"}), begin);
}

TEST_F(ReconcilerTest, FailsAnObjectThatCannotBeReadAndRunsTheNext) {
  const json::Value specs[] = {"text",
                               nullptr,
                               {{"upgrade", 5}},
                               {{"burn", json::Value::object()}},
                               {{"upgrade", {{"version", "v1.37.2"}, {"colour", "red"}}}},
                               {{"upgrade", {{"version", std::string(70'000, 'v')}}}}};
  for (std::size_t i = 0; i < std::size(specs); ++i) {
    PutOperation("bad-" + std::to_string(i), "2026-01-01T00:00:00Z", specs[i]);
  }
  PutOperation("good", "2026-01-02T00:00:00Z");
  Pass(2 * std::size(specs));
  EXPECT_EQ(PhaseOf("good"), "Running");
  EXPECT_THAT(Reasons(), testing::Contains("OperationFailed"));
}

TEST_F(ReconcilerTest, WorksDespiteAStatusOfOtherTypes) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  Change("spring", [](json::Value& object) {
    object["status"] = {{"nodes", "none"}, {"conditions", json::Value::array({1, nullptr})}};
  });
  Pass(3);
  EXPECT_EQ(PhaseOf("spring"), "Running");
}

TEST_F(ReconcilerTest, ReportsAStalledObjectAndHandlesTheOthers) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  PutOperation("later", "2026-01-02T00:00:00Z");
  Refuse("PATCH /api/v1/nodes/cp", 403, "Forbidden");
  Pass();
  EXPECT_EQ(StallOf("spring"), "") << "one failure may be a change between two requests";
  EXPECT_EQ(PhaseOf("later"), "Pending");
  Pass();
  EXPECT_THAT(StallOf("spring"), HasSubstr("not now"));
  EXPECT_THAT(Reasons(), testing::Contains("Stalled"));
  Pass();
  EXPECT_EQ(std::ranges::count(Reasons(), "Stalled"), 1);
}

TEST_F(ReconcilerTest, ClearsTheConditionOnceAPassSucceeds) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  Refuse("PATCH /api/v1/nodes/cp", 403, "Forbidden", 2);
  Pass(2);
  EXPECT_NE(StallOf("spring"), "");
  Pass(2);
  EXPECT_EQ(StallOf("spring"), "");
  EXPECT_EQ(PhaseOf("spring"), "Running");
}

TEST_F(ReconcilerTest, FailsAnOperationThatStallsForTooLong) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  PutOperation("later", "2026-01-02T00:00:00Z");
  Refuse("PATCH /api/v1/nodes/cp", 403, "Forbidden");
  Pass(2);
  clock_.Advance(std::chrono::minutes(10));
  Pass();
  EXPECT_EQ(PhaseOf("spring"), "Failed");
  EXPECT_THAT(json::TextAt(Operation("spring"), {"status", "message"}),
              HasSubstr("no progress for 10m0s"));
}

TEST_F(ReconcilerTest, RepeatsAWriteThatConflicts) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  Refuse("PATCH /api/v1/nodes/cp", 409, "Conflict", 1);
  Pass(3);
  EXPECT_TRUE(IsCordoned("cp"));
  EXPECT_EQ(StallOf("spring"), "");
}

TEST_F(ReconcilerTest, SurvivesAnObjectThatIsDeletedDuringThePass) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  PutOperation("later", "2026-01-02T00:00:00Z");
  Refuse("PATCH /apis/operations.slipway/v1alpha1/clusteroperations/spring", 404, "NotFound");
  Pass(3);
  EXPECT_EQ(PhaseOf("later"), "Pending");
}

TEST_F(ReconcilerTest, CompletesWithoutANodeThatDisappears) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  Pass(2);
  EndJobs("Complete");
  server_.Remove(kube::resources::kNode, "", "w");
  Pass(3);
  EXPECT_EQ(PhaseOf("spring"), "Complete");
}

TEST_F(ReconcilerTest, ReleasesADeletedObjectThatCannotBeRead) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  Pass(2);
  EndJobs("Complete");
  PutOperation("strange.name", "2026-01-02T00:00:00Z", "text");
  for (const char* name : {"spring", "strange.name"}) {
    Change(name, [](json::Value& object) {
      object["spec"] = {{"burn", true}};
      object["metadata"]["deletionTimestamp"] = "2026-01-03T00:00:00Z";
      object["metadata"]["finalizers"] = {"operations.slipway/release-nodes"};
    });
  }
  Pass();
  EXPECT_FALSE(IsCordoned("cp"));
  for (const char* name : {"spring", "strange.name"}) {
    EXPECT_THAT(json::At(Operation(name), {"metadata", "finalizers"}), IsEmpty()) << name;
  }
}

TEST_F(ReconcilerTest, DoesNotWaitForADeletedObjectThatStalls) {
  PutOperation("spring", "2026-01-01T00:00:00Z");
  Pass(2);
  EndJobs("Complete");
  PutOperation("later", "2026-01-02T00:00:00Z");
  Change("spring", [](json::Value& object) {
    object["metadata"]["deletionTimestamp"] = "2026-01-03T00:00:00Z";
  });
  Refuse("PATCH /api/v1/nodes/cp", 403, "Forbidden");
  Pass(3);
  EXPECT_EQ(PhaseOf("later"), "Pending");
  clock_.Advance(std::chrono::minutes(10));
  Pass();
  EXPECT_EQ(PhaseOf("later"), "Running");
}

TEST_F(ReconcilerTest, CountsUnknownPhasesAsPending) {
  PutOperation("spring", "2026-01-01T00:00:00Z", {{"paused", true}});
  Change("spring", [](json::Value& object) { object["status"]["phase"] = "\"} 7\nx"; });
  Pass();
  EXPECT_THAT(reconciler_.metrics().Text(), HasSubstr("{phase=\"Pending\"} 1\n"));
  EXPECT_FALSE(reconciler_.metrics().Text().contains("7"));
}

TEST_F(ReconcilerTest, KeepsABoundedHistory) {
  for (const char* name : {"a", "b"}) {
    PutOperation(name, "2026-01-01T00:00:00Z");
    Change(name, [&](json::Value& object) {
      object["status"] = {
          {"phase", "Complete"},
          {"completionTime", std::string("2026-01-0") + (*name == 'a' ? '2' : '1')}};
    });
  }
  Pass();
  EXPECT_TRUE(Operation("b").is_null());
  EXPECT_FALSE(Operation("a").is_null());
}

TEST_F(ReconcilerTest, DoesNotRepeatTheWriteOfAnUnchangedStatus) {
  PutOperation("spring", "2026-01-01T00:00:00Z",
               {{"upgrade", {{"version", "v1.37.2"}}}, {"paused", true}});
  Pass(2);
  const std::size_t writes = Writes().size();
  Pass(3);
  EXPECT_EQ(Writes().size(), writes);
}

TEST_F(ReconcilerTest, SaysThatAFailedNodeWasRolledBack) {
  PutOperation("spring", "2026-01-01T00:00:00Z",
               {{"upgrade", {{"version", "v1.37.2"}}}, {"rollback", "node"}});
  Pass(2);
  EndJobs("Failed");
  Pass();
  const auto rolled_back = [&] {
    const json::Value object = Operation("spring");
    const json::Value* condition = kube::FindCondition(object, "RolledBack");
    return condition == nullptr ? "" : json::TextAt(*condition, {"status"});
  };
  EXPECT_EQ(rolled_back(), "False");
  Pass();
  for (json::Value job : client_.List(kube::resources::kJob, kSpace)) {
    if (IsRollbackTask(json::TextAt(job, {"metadata", "name"}))) {
      job["status"]["conditions"] =
          json::Value::array({{{"type", "Complete"}, {"status", "True"}}});
      server_.Put(kube::resources::kJob, job);
    }
  }
  Pass(3);
  EXPECT_EQ(PhaseOf("spring"), "Failed");
  EXPECT_EQ(rolled_back(), "True");
  EXPECT_EQ(json::TextAt(Operation("spring"), {"status", "message"}),
            "cp: why; the node was rolled back");
  EXPECT_THAT(Reasons(),
              testing::IsSupersetOf({"NodeRollingBack", "NodeFailed", "OperationFailed"}));
}

}  // namespace
}  // namespace fleet
