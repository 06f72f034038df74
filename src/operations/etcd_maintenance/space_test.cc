// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "control_plane/record.h"
#include "etcd/fake_client.h"
#include "host/fake_host.h"
#include "workflow/reporter.h"

namespace etcd_maintenance {
namespace {

using base::Error;
using base::Thrown;
using testing::ElementsAre;
using testing::HasSubstr;

class SpaceTest : public testing::Test {
 protected:
  SpaceTest() {
    for (const std::uint64_t id : {1U, 2U, 3U}) {
      const std::string name = "cp" + std::to_string(id);
      client_.Start(id, name);
      etcd::MemberStatus& status = StatusOf(name);
      status.revision = 100;
      status.db_size = 2000;
      status.db_size_in_use = 500;
      status.db_quota = 1000;
    }
  }

  etcd::MemberStatus& StatusOf(const std::string& name) {
    return client_.statuses.at("https://" + name + ":2379");
  }
  void Kill(const std::string& name) {
    client_.refusals["https://" + name + ":2379"] = "connection refused";
  }
  void Fill() {
    for (const char* name : {"cp1", "cp2", "cp3"}) {
      StatusOf(name).errors = {"memberID:2 alarm:NOSPACE "};
    }
  }
  SpaceDeps Deps() {
    return {.client = client_, .waiting = time_.Wait(), .say = [](const std::string&) {}};
  }
  Freed Done(const SpacePlan& plan) {
    const SpaceDeps deps = Deps();
    Freed freed;
    host::FakeHost fake;
    workflow::Reporter reporter(fake.clock, {});
    engine::Run(SpaceOperation(plan, deps, freed), {}, {.host = fake.host, .reporter = reporter});
    EXPECT_TRUE(fake.files.written().empty()) << "it works on a full disk";
    return freed;
  }
  Freed Defragment(const std::vector<std::string>& names) {
    return Done(PlanDefragmentation(client_, names));
  }
  Freed ReclaimSpace() { return Done(PlanReclaim(client_)); }
  // Returns the calls that change members or data.
  std::vector<std::string> Changes() const {
    std::vector<std::string> changes = client_.calls();
    std::erase_if(changes, [](const std::string& call) { return call.starts_with("Members"); });
    return changes;
  }

  etcd::FakeClient client_;
  etcd::FakeTime time_;
};

TEST_F(SpaceTest, CompactsToThePresentRevisionUnlessToldOtherwise) {
  EXPECT_EQ(Compact(Deps(), {}).revision, 100);
  EXPECT_EQ(Compact(Deps(), 40).revision, 40);
  EXPECT_THAT(Changes(), ElementsAre("Compact 100", "Compact 40"));
  EXPECT_EQ(Thrown([&] { Compact(Deps(), 101); }).kind(), Error::Kind::kInvalid);
  EXPECT_EQ(Thrown([&] { Compact(Deps(), 0); }).kind(), Error::Kind::kInvalid);
  EXPECT_EQ(Changes().size(), 2U);
}

TEST_F(SpaceTest, DefragmentsTheLeaderLast) {
  const Freed freed = Defragment({});
  EXPECT_THAT(Changes(), ElementsAre("Defragment https://cp2:2379", "Defragment https://cp3:2379",
                                     "Defragment https://cp1:2379"));
  EXPECT_EQ(freed.members.at(0).before, 2000);
  EXPECT_EQ(freed.members.at(0).after, 500);
  EXPECT_THAT(TextOf(freed), HasSubstr("Member cp2: 2.0 KiB before, 500 bytes after"));
}

TEST_F(SpaceTest, PlansWithoutAChange) {
  Fill();
  const SpacePlan plan = PlanReclaim(client_);
  const SpaceDeps deps = Deps();
  Freed freed;
  std::vector<std::string> lines;
  for (const engine::Step& step : SpaceOperation(plan, deps, freed).steps) {
    lines.push_back(step.line);
  }
  EXPECT_THAT(lines,
              ElementsAre("compact to the present revision", "defragment member cp2 (2.0 KiB)",
                          "defragment member cp3 (2.0 KiB)", "defragment member cp1 (2.0 KiB)",
                          "clear the NOSPACE alarm of cp2", "verify that etcd takes writes"));
  const json::Value object = ObjectOf(plan.expected);
  EXPECT_EQ(object["dryRun"], true);
  EXPECT_EQ(object["members"][0]["sizeBefore"], 2000);
  EXPECT_TRUE(object["members"][0]["sizeAfter"].is_null());
  EXPECT_TRUE(Changes().empty());
}

TEST_F(SpaceTest, DefragmentsNamedMembersOnceEach) {
  Defragment({"cp1", "3", "cp3"});
  EXPECT_THAT(Changes(), ElementsAre("Defragment https://cp3:2379", "Defragment https://cp1:2379"));
  EXPECT_EQ(Thrown([&] { Defragment({"cp9"}); }).kind(), Error::Kind::kNotFound);
}

TEST_F(SpaceTest, DoesNotDefragmentAMemberThatTheMajorityNeeds) {
  Kill("cp3");
  const Error error = Thrown([&] { Defragment({"cp2"}); });
  EXPECT_EQ(error.kind(), Error::Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("cp3"));
  EXPECT_TRUE(Changes().empty());
}

TEST_F(SpaceTest, TouchesNoMemberIfOneOfThemDoesNotAnswer) {
  Kill("cp3");
  EXPECT_EQ(Thrown([&] { Defragment({}); }).kind(), Error::Kind::kUnavailable);
  EXPECT_TRUE(Changes().empty());
}

TEST_F(SpaceTest, StopsIfAMemberDoesNotServeAgain) {
  client_.on_call = [this](const std::string& call) {
    if (call == "Defragment https://cp2:2379") {
      StatusOf("cp2").leader_id = 0;
    }
    return etcd::Refusal::kNone;
  };
  const Error error = Thrown([&] { Defragment({}); });
  EXPECT_EQ(error.kind(), Error::Kind::kTimeout);
  EXPECT_THAT(error.message(), HasSubstr("member cp2 does not serve after its defragmentation"));
  EXPECT_THAT(Changes(), ElementsAre("Defragment https://cp2:2379"));
}

TEST_F(SpaceTest, ClearsAnAlarmAfterTheSpaceIsFree) {
  Fill();
  const Freed freed = ReclaimSpace();
  EXPECT_THAT(Changes(), ElementsAre("Compact 100", "Defragment https://cp2:2379",
                                     "Defragment https://cp3:2379", "Defragment https://cp1:2379",
                                     "ClearSpaceAlarm 2", "CheckWrite"));
  EXPECT_THAT(freed.cleared, ElementsAre("cp2"));
  EXPECT_THAT(TextOf(freed), HasSubstr("The NOSPACE alarm of cp2 is cleared"));
  const json::Value object = ObjectOf(freed);
  EXPECT_EQ(object["compactedRevision"], 100);
  EXPECT_EQ(object["alarmsCleared"][0], "cp2");
}

TEST_F(SpaceTest, LeavesTheAlarmWhereADatabaseStillFillsItsQuota) {
  Fill();
  StatusOf("cp3").db_size_in_use = 1000;
  const Error error = Thrown([&] { ReclaimSpace(); });
  EXPECT_EQ(error.kind(), Error::Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("quota-backend-bytes"));
  EXPECT_THAT(Changes(), testing::Not(testing::Contains("ClearSpaceAlarm 2")));
}

TEST_F(SpaceTest, NamesMembersThatAreNearlyFull) {
  Fill();
  StatusOf("cp3").db_size_in_use = 950;
  const Freed freed = ReclaimSpace();
  EXPECT_THAT(freed.nearly_full, ElementsAre("cp3"));
  EXPECT_THAT(TextOf(freed), HasSubstr("Less than a tenth of the quota is free on cp3"));
}

TEST_F(SpaceTest, ClearsNoAlarmWhileAMemberIsAway) {
  Fill();
  Kill("cp3");
  EXPECT_EQ(Thrown([&] { ReclaimSpace(); }).kind(), Error::Kind::kConflict);
  EXPECT_TRUE(Changes().empty());
}

TEST_F(SpaceTest, NeedsAnAlarmToClear) {
  EXPECT_EQ(Thrown([&] { ReclaimSpace(); }).kind(), Error::Kind::kNotFound);
  EXPECT_TRUE(Changes().empty());
}

TEST_F(SpaceTest, ReportsAWriteThatIsStillRefused) {
  Fill();
  client_.on_call = [](const std::string& call) -> etcd::Refusal {
    if (call == "CheckWrite") {
      throw Error("etcd answers: database space exceeded");
    }
    return etcd::Refusal::kNone;
  };
  const Error error = Thrown([&] { ReclaimSpace(); });
  EXPECT_EQ(error.kind(), Error::Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("space exceeded"));
  EXPECT_THAT(error.message(), HasSubstr("quota-backend-bytes"));
}

TEST_F(SpaceTest, WaitsUntilEveryMemberHasClearedTheAlarm) {
  Fill();
  client_.on_call = [this](const std::string& call) {
    if (call == "CheckWrite") {
      StatusOf("cp3").errors = {"memberID:2 alarm:NOSPACE "};
    }
    return etcd::Refusal::kNone;
  };
  time_.on_pause = [this] {
    StatusOf("cp3").errors.clear();
    return true;
  };
  EXPECT_THAT(ReclaimSpace().cleared, ElementsAre("cp2"));
}

TEST_F(SpaceTest, ReportsAnAlarmThatReturns) {
  Fill();
  client_.on_call = [this](const std::string& call) {
    if (call == "CheckWrite") {
      StatusOf("cp3").errors = {"memberID:3 alarm:NOSPACE "};
    }
    return etcd::Refusal::kNone;
  };
  const Error error = Thrown([&] { ReclaimSpace(); });
  EXPECT_EQ(error.kind(), Error::Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("raised it again"));
}

TEST(RequireNoUpgrade, RefusesAfterAnInterruptedUpgrade) {
  host::FakeHost fake;
  RequireNoUpgrade(fake.files);
  control_plane::UpgradeRecord record{.command = "apply", .from = "v1.36.3", .to = "v1.37.2"};
  record.manifests["etcd"] = "/etc/kubernetes/tmp/x";
  record.under_way = record.manifests;
  control_plane::SaveRecord(fake.files, record);
  const Error error = Thrown([&] { RequireNoUpgrade(fake.files); });
  EXPECT_EQ(error.kind(), Error::Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("kubeadm upgrade rollback"));
  record.complete = true;
  control_plane::SaveRecord(fake.files, record);
  RequireNoUpgrade(fake.files);
}

}  // namespace
}  // namespace etcd_maintenance
