// SPDX-License-Identifier: Apache-2.0
// Tests of certificates in flight: which requests count, for how long, and which are judged again.
#include "requests/in_flight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "json/rfc3339.h"
#include "judgement/fake_cases.h"
#include "judgement/names.h"

namespace requests {
namespace {

using judgement::ApprovedRequest;
using judgement::AskFor;
using judgement::Check;
using judgement::Csr;
using judgement::FakeWorld;
using judgement::FoldedName;
using judgement::Judge;
using judgement::kClientOk;
using judgement::kMachineMade;
using judgement::kServingOk;
using judgement::NodeOf;
using judgement::ParsedRequest;
using judgement::Time;
using testing::ElementsAre;
using testing::IsEmpty;

std::string TimeText(Time time) { return json::FormatRfc3339(time); }

json::Value Approved(const FakeWorld& world, const std::string& name,
                     Time at = kMachineMade + std::chrono::seconds(100)) {
  return {{"metadata", {{"name", name}, {"creationTimestamp", TimeText(world.csr.created)}}},
          {"spec",
           {{"username", world.csr.username},
            {"groups", world.csr.groups},
            {"usages", world.csr.usages},
            {"signerName", world.csr.signer},
            {"request", base::Base64Encode(pki::FakeRequestPem(world.request))}}},
          {"status",
           {{"conditions",
             {{{"type", "Approved"}, {"status", "True"}, {"lastTransitionTime", TimeText(at)}}}}}}};
}

std::vector<std::string> Others(const InFlight& in_flight, const FakeWorld& world,
                                const std::string& name,
                                Time now = kMachineMade + std::chrono::seconds(200)) {
  Csr csr = world.csr;
  csr.name = name;
  const ParsedRequest request = pki::ReadRequest(pki::FakeRequestPem(world.request));
  const std::string node = FoldedName(NodeOf(csr, *request));
  std::vector<std::string> names;
  for (const ApprovedRequest& other : in_flight.Others({csr, request, node}, now)) {
    names.push_back(other.name);
  }
  return names;
}

TEST(InFlight, ReturnsApprovedRequestsOfTheSameNodeAndKind) {
  InFlight in_flight;
  const FakeWorld client = FakeWorld::Client();
  const FakeWorld serving = FakeWorld::Serving();
  FakeWorld bear = client;
  AskFor(bear, "bear");
  EXPECT_EQ(in_flight.Put(Approved(client, "a"), false), "panda");
  EXPECT_THAT(Others(in_flight, client, "b"), ElementsAre("a"));
  EXPECT_THAT(Others(in_flight, client, "a"), IsEmpty()) << "itself";
  EXPECT_THAT(Others(in_flight, serving, "b"), IsEmpty());
  EXPECT_THAT(Others(in_flight, bear, "b"), IsEmpty());
  in_flight.Put(Approved(serving, "s"), false);
  EXPECT_THAT(Others(in_flight, serving, "b"), ElementsAre("s"));
  EXPECT_THAT(Others(in_flight, client, "b"), ElementsAre("a"));
  EXPECT_EQ(in_flight.Remove("a"), "panda");
  EXPECT_EQ(in_flight.Remove("a"), std::nullopt);
  EXPECT_THAT(Others(in_flight, client, "b"), IsEmpty());
}

TEST(InFlight, EndsAfterTimeoutDenialOrFailureAndIgnoresForeignSigners) {
  const FakeWorld client = FakeWorld::Client();
  const Time at = kMachineMade + std::chrono::seconds(100);
  InFlight in_flight;
  in_flight.Put(Approved(client, "a", at), false);
  EXPECT_THAT(Others(in_flight, client, "b", at + InFlight::kLongest - std::chrono::seconds(1)),
              ElementsAre("a"));
  EXPECT_THAT(Others(in_flight, client, "b", at + InFlight::kLongest), IsEmpty());
  for (const char* type : {"Denied", "Failed"}) {
    in_flight.Put(Approved(client, "a"), false);
    json::Value decided = Approved(client, "a");
    decided["status"]["conditions"].push_back({{"type", type}, {"status", "True"}});
    EXPECT_EQ(in_flight.Put(decided, false), "panda") << type;
    EXPECT_THAT(Others(in_flight, client, "b"), IsEmpty()) << type;
  }
  FakeWorld token = client;
  token.csr.username = "system:bootstrap:abcdef";
  EXPECT_EQ(in_flight.Put(Approved(token, "t"), false), std::nullopt);
  EXPECT_EQ(in_flight.Put(Approved(token, "t"), true), "panda");
  json::Value unreadable = Approved(client, "u");
  unreadable["spec"]["request"] = "";
  EXPECT_EQ(in_flight.Put(unreadable, false), std::nullopt);
}

TEST(InFlight, ClaimsOnlyOneOfTwoConcurrentRequests) {
  InFlight in_flight;
  const FakeWorld world = FakeWorld::Client();
  const ParsedRequest request = pki::ReadRequest(pki::FakeRequestPem(world.request));
  const std::string node = "panda";
  Csr first = world.csr;
  Csr second = world.csr;
  second.name = "csr-2";
  const Time now = kMachineMade + std::chrono::seconds(200);
  EXPECT_TRUE(in_flight.Claim({first, request, node}, {}, now));
  EXPECT_TRUE(in_flight.Claim({first, request, node}, {}, now)) << "once more after a conflict";
  EXPECT_FALSE(in_flight.Claim({second, request, node}, {}, now));
  const auto judged = in_flight.Others({second, request, node}, now);
  EXPECT_TRUE(in_flight.Claim({second, request, node}, judged, now));
  in_flight.Remove(first.name);
  in_flight.Remove(second.name);
  EXPECT_TRUE(in_flight.Claim({second, request, node}, {}, now));
}

TEST(InFlight, TreatsAllNamesOfAMachineAsOneMachine) {
  InFlight in_flight;
  FakeWorld world = FakeWorld::Client();
  world.machines.front().addresses.push_back({.type = "InternalDNS", .address = "Bear"});
  const ParsedRequest request = pki::ReadRequest(pki::FakeRequestPem(world.request));
  AskFor(world, "bear");
  const ParsedRequest for_bear = pki::ReadRequest(pki::FakeRequestPem(world.request));
  Csr second = world.csr;
  second.name = "csr-2";
  judgement::Facts facts{.csr = &world.csr, .request = &request};
  facts.named = {&world.machines.front()};
  judgement::Facts facts_of_bear = facts;
  facts_of_bear.csr = &second;
  facts_of_bear.request = &for_bear;
  const Time now = kMachineMade + std::chrono::seconds(200);
  EXPECT_TRUE(in_flight.Claim(AskedIn(facts, "panda"), {}, now));
  EXPECT_FALSE(in_flight.Claim(AskedIn(facts_of_bear, "bear"), {}, now));
  EXPECT_THAT(in_flight.Others(AskedIn(facts_of_bear, "bear"), now), testing::SizeIs(1));
  facts_of_bear.named.clear();
  EXPECT_TRUE(in_flight.Claim(AskedIn(facts_of_bear, "bear"), {}, now)) << "another machine's";
}

// Claims the request "a". Each test then decides whether a watch reports the request.
class ClaimTest : public testing::Test {
 protected:
  ClaimTest() {
    world_.csr.name = "a";
    world_.csr.resource_version = "100";
  }
  bool Claim() {
    return in_flight_.Claim({world_.csr, request_, node_}, {},
                            kMachineMade + std::chrono::seconds(200));
  }
  // Reports the request as pending, with this resourceVersion.
  std::optional<std::string> Tell(const std::string& version) {
    json::Value object = Approved(world_, "a");
    object["metadata"]["resourceVersion"] = version;
    object.erase("status");
    return in_flight_.Put(object, false);
  }
  bool IsInFlight() { return !Others(in_flight_, world_, "b").empty(); }

  FakeWorld world_ = FakeWorld::Client();
  const ParsedRequest request_ = pki::ReadRequest(pki::FakeRequestPem(world_.request));
  const std::string node_ = "panda";
  InFlight in_flight_;
};

TEST_F(ClaimTest, IsReleasedWhenTheApiServerRefuses) {
  ASSERT_TRUE(Claim());
  EXPECT_EQ(in_flight_.Unclaim("a"), "panda");
  EXPECT_FALSE(IsInFlight());
  EXPECT_EQ(in_flight_.Unclaim("a"), std::nullopt);
}

TEST_F(ClaimTest, IsKeptAfterARefusalIfTheOutcomeIsInDoubt) {
  ASSERT_TRUE(Claim());
  in_flight_.Doubt("a");
  ASSERT_TRUE(Claim());
  EXPECT_EQ(in_flight_.Unclaim("a"), std::nullopt);
  EXPECT_TRUE(IsInFlight());
}

TEST_F(ClaimTest, IsFinalOnceTheApprovalIsReported) {
  ASSERT_TRUE(Claim());
  in_flight_.Put(Approved(world_, "a"), false);
  EXPECT_EQ(in_flight_.Unclaim("a"), std::nullopt);
  EXPECT_TRUE(IsInFlight());
  EXPECT_FALSE(Claim()) << "it is approved";
}

TEST_F(ClaimTest, IsKeptAfterOlderEvents) {
  for (const bool doubted : {false, true}) {
    ASSERT_TRUE(Claim());
    if (doubted) {
      in_flight_.Doubt("a");
    }
    for (const char* version : {"99", "100"}) {
      EXPECT_EQ(Tell(version), std::nullopt);
      EXPECT_TRUE(IsInFlight()) << version;
    }
    EXPECT_EQ(Tell("101"), "panda");
    EXPECT_FALSE(IsInFlight()) << "changed since, and not approved";
  }
  ASSERT_TRUE(Claim());
  EXPECT_EQ(Tell("other"), "panda") << "no number";
}

TEST(Judge, RefusesASecondCertificateInFlight) {
  const auto other = [](Time created, bool issued) {
    return
        [=](FakeWorld& w) { w.in_flight = {{.name = "x", .created = created, .issued = issued}}; };
  };
  const std::string held = "retry certificate-in-flight";
  Check(FakeWorld::Client,
        {{"none", [](FakeWorld&) {}, kClientOk},
         {"not issued", other(kMachineMade + std::chrono::seconds(50), false), held},
         {"issued, but no node", other(kMachineMade + std::chrono::seconds(50), true), held},
         {"by a clock that is behind", other(kMachineMade - std::chrono::seconds(9), true), held},
         {"of a previous machine of the name", other(kMachineMade - std::chrono::seconds(10), true),
          kClientOk}});
  const auto entry = [] {
    FakeWorld w = FakeWorld::Client();
    w.machines.front().is_entry = true;
    return w;
  };
  Check(entry, {{"entry, not issued", other(kMachineMade, false), held},
                {"entry, issued", other(kMachineMade, true), kClientOk}});
  Check(FakeWorld::Serving, {{"serving, not issued", other(kMachineMade, false), held},
                             {"serving, issued", other(kMachineMade, true), kServingOk}});
}

}  // namespace
}  // namespace requests
