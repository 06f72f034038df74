// SPDX-License-Identifier: Apache-2.0
// Tests of the rule that each machine has at most one certificate of a kind in flight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judgement/fake_cases.h"

namespace judgement {
namespace {

using std::chrono::seconds;

constexpr const char* kInFlight = "retry certificate-in-flight";

Spoil Approved(Time created, bool issued) {
  return [=](FakeWorld& world) {
    world.machines.front().created = kMachineMade;
    world.in_flight = {{.name = "csr-1", .created = created, .issued = issued}};
  };
}

TEST(JudgeInFlight, KeepsAFirstCertificateInFlightUntilTheNodeExists) {
  Check(
      FakeWorld::Client,
      {{"asked for after the machine was made", Approved(kMachineMade + seconds(60), false),
        kInFlight},
       {"and issued", Approved(kMachineMade + seconds(60), true), kInFlight},
       {"as early as a clock behind allows", Approved(kMachineMade - seconds(9), false), kInFlight},
       {"by a previous machine of the name", Approved(kMachineMade - seconds(10), false),
        kClientOk},
       {"long ago", Approved(kMachineMade - seconds(3600), false), kClientOk}});
}

TEST(JudgeInFlight, KeepsARequestAttestedByAnEntryInFlightUntilIssued) {
  const auto entry = [] {
    FakeWorld world = FakeWorld::Client();
    world.machines = {EntryAllowed("panda")};
    return world;
  };
  Check(entry,
        {{"not issued, however old", Approved(kMachineMade - seconds(3600), false), kInFlight},
         {"issued", Approved(kMachineMade + seconds(60), true), kClientOk}});
}

TEST(JudgeInFlight, KeepsAServingCertificateInFlightUntilIssued) {
  Check(FakeWorld::Serving,
        {{"not issued, however old", Approved(kMachineMade - seconds(3600), false), kInFlight},
         {"issued", Approved(kMachineMade + seconds(60), true), kServingOk}});
}

TEST(JudgeInFlight, NamesTheBlockingRequest) {
  FakeWorld world = FakeWorld::Client();
  Approved(kMachineMade, false)(world);
  EXPECT_EQ(
      world.Judged().message,
      "request \"csr-1\" of the node was approved less than an hour ago and its certificate is "
      "not issued yet");
  world.in_flight.front().issued = true;
  EXPECT_THAT(world.Judged().message, testing::HasSubstr("issued, but there is no Node yet"));
}

TEST(JudgeNewest, RefusesARequestIfItsUserHasALaterRequest) {
  const auto newer = [](FakeWorld& world) { world.newer = "csr-2"; };
  Check(FakeWorld::Client, {{"a later one is pending", newer, "retry client-superseded"}});
  Check(FakeWorld::Serving, {{"certificates of which a kubelet has several", newer, kServingOk}});
  FakeWorld world = FakeWorld::Client();
  newer(world);
  EXPECT_EQ(world.Judged().message,
            "request \"csr-2\" was made for the node since, by the same user");
}

// Auditors filter by the ids of rules and reasons (docs/approver.md).
TEST(Judge, HasStableRuleIds) {
  const auto rules = [](const FakeWorld& world) {
    std::vector<std::string> ids;
    for (const Rule& rule : world.Judged().rules) {
      ids.emplace_back(rule.rule);
    }
    return ids;
  };
  const std::vector<std::string> client = rules(FakeWorld::Client());
  const std::vector<std::string> serving = rules(FakeWorld::Serving());
  for (const char* id : {"request-version", "plain-subject", "not-a-ca", "known-extensions",
                         "known-attributes", "signature-digest", "no-empty-name", "name-form",
                         "key-strength", "own-signature", "one-in-flight"}) {
    EXPECT_THAT(client, testing::Contains(id));
    EXPECT_THAT(serving, testing::Contains(id));
  }
  EXPECT_THAT(client, testing::Contains("newest"));
}

}  // namespace
}  // namespace judgement
