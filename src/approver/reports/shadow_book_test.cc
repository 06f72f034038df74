// SPDX-License-Identifier: Apache-2.0
#include "reports/shadow_book.h"

#include <gtest/gtest.h>

namespace reports {
namespace {

using judgement::Reason;

const ShadowBook::Request kRequest{.name = "a", .uid = "1"};
constexpr ShadowBook::Verdict kApproves{.would_approve = true, .reason = Reason::kClientOk};
constexpr ShadowBook::Verdict kLeaves{.would_approve = false,
                                      .reason = Reason::kClientNoMachineWithInternalDns};

TEST(Comparison, AgreesIfBothApproveOrBothDoNot) {
  for (const Outcome outcome : {Outcome::kApproved, Outcome::kDenied, Outcome::kUndecided}) {
    const bool approved = outcome == Outcome::kApproved;
    EXPECT_EQ((Comparison{.would_approve = true, .outcome = outcome}.Agrees()), approved);
    EXPECT_EQ((Comparison{.would_approve = false, .outcome = outcome}.Agrees()), !approved);
  }
}

TEST(ShadowBook, ComparesAnApprovalAtOnceAndOnlyOnce) {
  ShadowBook book;
  EXPECT_TRUE(book.PutVerdict(kRequest, kApproves).changed);
  EXPECT_FALSE(book.PutVerdict(kRequest, kApproves).changed);
  const auto answer = book.PutOutcome(kRequest, Outcome::kDenied, true);
  ASSERT_TRUE(answer.comparison);
  EXPECT_FALSE(answer.comparison->Agrees());
  EXPECT_EQ(answer.comparison->reason, Reason::kClientOk);
  EXPECT_FALSE(answer.judge);
  // The object changes again when the certificate is issued.
  EXPECT_FALSE(book.PutOutcome(kRequest, Outcome::kDenied, true).comparison);
  EXPECT_TRUE(book.PutVerdict(kRequest, kLeaves).over);
  EXPECT_FALSE(book.Remove("a"));
}

TEST(ShadowBook, AsksForAnotherVerdictBeforeItDisagrees) {
  ShadowBook book;
  book.PutVerdict(kRequest, kLeaves);
  const auto answer = book.PutOutcome(kRequest, Outcome::kApproved, true);
  EXPECT_TRUE(answer.judge);
  EXPECT_FALSE(answer.comparison);
  EXPECT_TRUE(book.PutOutcome(kRequest, Outcome::kApproved, true).judge) << "until the verdict";
  const auto verdict = book.PutVerdict(kRequest, kApproves);
  ASSERT_TRUE(verdict.comparison);
  EXPECT_TRUE(verdict.comparison->Agrees());
  EXPECT_TRUE(verdict.over);
  EXPECT_FALSE(book.PutOutcome(kRequest, Outcome::kApproved, true).judge);
}

TEST(ShadowBook, AsksAgainIfTheSignerUpdatesARequestThatWasDecidedFirst) {
  ShadowBook book;
  EXPECT_TRUE(book.PutOutcome(kRequest, Outcome::kApproved, true).judge);
  EXPECT_TRUE(book.PutOutcome(kRequest, Outcome::kApproved, true).judge);
  const auto verdict = book.PutVerdict(kRequest, kLeaves);
  ASSERT_TRUE(verdict.comparison);
  EXPECT_FALSE(verdict.comparison->Agrees());
}

TEST(ShadowBook, KeepsTheReasonOfTheVerdictBeforeTheDecision) {
  ShadowBook book;
  book.PutVerdict(kRequest, kLeaves);
  book.PutOutcome(kRequest, Outcome::kApproved, true);
  const auto verdict =
      book.PutVerdict(kRequest, {.would_approve = false, .reason = Reason::kClientNodeExists});
  ASSERT_TRUE(verdict.comparison);
  EXPECT_EQ(verdict.comparison->reason, kLeaves.reason);
}

TEST(ShadowBook, DoesNotJudgeOldDecisions) {
  ShadowBook book;
  EXPECT_FALSE(book.PutOutcome(kRequest, Outcome::kApproved, false).judge);
  EXPECT_TRUE(book.PutVerdict(kRequest, kApproves).over);
  const ShadowBook::Request known{.name = "b", .uid = "2"};
  book.PutVerdict(known, kLeaves);
  const auto answer = book.PutOutcome(known, Outcome::kApproved, false);
  ASSERT_TRUE(answer.comparison);
  EXPECT_FALSE(answer.comparison->Agrees());
}

TEST(ShadowBook, TreatsARemovedRequestAsUndecided) {
  ShadowBook book;
  book.PutVerdict(kRequest, kApproves);
  const auto comparison = book.Remove("a");
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->outcome, Outcome::kUndecided);
  EXPECT_FALSE(comparison->Agrees());
  EXPECT_FALSE(book.Remove("a"));
}

TEST(ShadowBook, ComparesTheFirstVerdictIfTheRequestIsRemovedBeforeAnother) {
  ShadowBook book;
  book.PutVerdict(kRequest, kLeaves);
  book.PutOutcome(kRequest, Outcome::kDenied, true);
  const auto comparison = book.Remove("a");
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->outcome, Outcome::kDenied);
  EXPECT_TRUE(comparison->Agrees());
}

TEST(ShadowBook, TreatsANewRequestOfTheSameNameSeparately) {
  ShadowBook book;
  book.PutVerdict(kRequest, kApproves);
  book.PutOutcome(kRequest, Outcome::kApproved, true);
  EXPECT_TRUE(book.PutOutcome({.name = "a", .uid = "2"}, Outcome::kApproved, true).judge);
}

TEST(ShadowBook, BoundsTheNumberOfRequests) {
  ShadowBook book;
  for (std::size_t i = 0; i < ShadowBook::kMost; ++i) {
    book.PutVerdict({.name = std::to_string(i), .uid = "u"}, kLeaves);
  }
  EXPECT_TRUE(book.PutVerdict(kRequest, kApproves).over);
  book.Remove("0");
  EXPECT_FALSE(book.PutVerdict(kRequest, kApproves).over);
}

}  // namespace
}  // namespace reports
