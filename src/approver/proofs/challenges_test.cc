// SPDX-License-Identifier: Apache-2.0
#include "proofs/challenges.h"

#include <gtest/gtest.h>

#include "host/fake_host.h"

namespace proofs {
namespace {

class ChallengesTest : public testing::Test {
 protected:
  const Claim claim_{.node = "panda", .key_id = "k", .endorsement_key = "sha256:a"};
  host::FakeClock clock_;
  std::string key_ = "shared";
  Challenges challenges_{clock_, [this] { return key_; }};
};

TEST_F(ChallengesTest, AreAnsweredByTheirSecret) {
  const Challenge first = challenges_.Issue(claim_);
  const Challenge second = challenges_.Issue(claim_);
  EXPECT_NE(first.id, second.id);
  EXPECT_EQ(first.secret.size(), 32);
  EXPECT_EQ(challenges_.IsAnswered(second.id, claim_, second.secret), true);
  EXPECT_EQ(challenges_.IsAnswered(first.id, claim_, second.secret), false);
  EXPECT_EQ(challenges_.IsAnswered(first.id, claim_, ""), false);
}

TEST_F(ChallengesTest, AreAcceptedByEachReplica) {
  const Challenge challenge = challenges_.Issue(claim_);
  const Challenges replica(clock_, [] { return std::string("shared"); });
  EXPECT_EQ(replica.IsAnswered(challenge.id, claim_, challenge.secret), true);
}

TEST_F(ChallengesTest, AreUnknownAfterAChangeOfTheKey) {
  const Challenge challenge = challenges_.Issue(claim_);
  key_ = "another";
  EXPECT_EQ(challenges_.IsAnswered(challenge.id, claim_, challenge.secret), std::nullopt);
}

TEST_F(ChallengesTest, AreForOneClaim) {
  const Challenge challenge = challenges_.Issue(claim_);
  for (const auto& change : {+[](Claim& c) { c.node = "bear"; }, +[](Claim& c) { c.key_id = "x"; },
                             +[](Claim& c) { c.endorsement_key = "sha256:b"; }}) {
    Claim other = claim_;
    change(other);
    EXPECT_EQ(challenges_.IsAnswered(challenge.id, other, challenge.secret), std::nullopt);
    EXPECT_NE(challenges_.Issue(other).secret, challenge.secret);
  }
}

TEST_F(ChallengesTest, KeepTheFieldsOfAClaimApart) {
  const Challenge challenge =
      challenges_.Issue({.node = "panda", .key_id = "1", .endorsement_key = "2"});
  EXPECT_EQ(
      challenges_.IsAnswered(challenge.id, {.node = "panda1", .key_id = "", .endorsement_key = "2"},
                             challenge.secret),
      std::nullopt);
}

TEST_F(ChallengesTest, Expire) {
  const Challenge challenge = challenges_.Issue(claim_);
  clock_.Sleep(Challenges::kValid - std::chrono::seconds(1), {});
  EXPECT_EQ(challenges_.IsAnswered(challenge.id, claim_, challenge.secret), true);
  clock_.Sleep(std::chrono::seconds(1), {});
  EXPECT_EQ(challenges_.IsAnswered(challenge.id, claim_, challenge.secret), std::nullopt);
}

TEST_F(ChallengesTest, HaveUnforgeableIds) {
  const Challenge challenge = challenges_.Issue(claim_);
  std::string later = challenge.id;
  later[15] = later[15] == 'f' ? 'e' : 'f';
  std::string negative = challenge.id;
  negative[0] = '-';
  std::string distant = challenge.id;
  distant.replace(0, 16, "7fffffffffffffff");
  for (const std::string& id :
       {std::string(), std::string("x"), challenge.id + "0", challenge.id.substr(0, 32), later,
        negative, distant, std::string(96, 'f')}) {
    EXPECT_EQ(challenges_.IsAnswered(id, claim_, challenge.secret), std::nullopt) << id;
  }
}

}  // namespace
}  // namespace proofs
