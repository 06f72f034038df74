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
  Challenges challenges_{clock_};
};

TEST_F(ChallengesTest, AreAnsweredByTheirSecret) {
  const std::string first = challenges_.Issue(claim_, "one");
  const std::string second = challenges_.Issue(claim_, "two");
  EXPECT_NE(first, second);
  EXPECT_EQ(challenges_.Redeem(second, claim_, "two"), true);
  EXPECT_EQ(challenges_.Redeem(first, claim_, "two"), false);
}

TEST_F(ChallengesTest, AreForOneAnswer) {
  const std::string wrong = challenges_.Issue(claim_, "secret");
  EXPECT_EQ(challenges_.Redeem(wrong, claim_, "guess"), false);
  EXPECT_EQ(challenges_.Redeem(wrong, claim_, "secret"), std::nullopt);
  const std::string right = challenges_.Issue(claim_, "secret");
  EXPECT_EQ(challenges_.Redeem(right, claim_, "secret"), true);
  EXPECT_EQ(challenges_.Redeem(right, claim_, "secret"), std::nullopt);
}

TEST_F(ChallengesTest, AreForOneClaim) {
  for (const auto& change : {+[](Claim& c) { c.node = "bear"; }, +[](Claim& c) { c.key_id = "x"; },
                             +[](Claim& c) { c.endorsement_key = "sha256:b"; }}) {
    const std::string id = challenges_.Issue(claim_, "secret");
    Claim other = claim_;
    change(other);
    EXPECT_EQ(challenges_.Redeem(id, other, "secret"), std::nullopt);
    EXPECT_EQ(challenges_.Redeem(id, claim_, "secret"), std::nullopt);
  }
}

TEST_F(ChallengesTest, Expire) {
  const std::string id = challenges_.Issue(claim_, "secret");
  clock_.Sleep(Challenges::kValid, {});
  EXPECT_EQ(challenges_.Redeem(id, claim_, "secret"), std::nullopt);
}

TEST_F(ChallengesTest, AreBounded) {
  const std::string oldest = challenges_.Issue(claim_, "secret");
  std::string last;
  for (std::size_t i = 0; i < Challenges::kMost; ++i) {
    last = challenges_.Issue(claim_, "secret");
  }
  EXPECT_EQ(challenges_.Redeem(oldest, claim_, "secret"), std::nullopt);
  EXPECT_EQ(challenges_.Redeem(last, claim_, "secret"), true);
}

}  // namespace
}  // namespace proofs
