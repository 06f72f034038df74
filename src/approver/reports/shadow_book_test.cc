// SPDX-License-Identifier: Apache-2.0
#include "reports/shadow_book.h"

#include <gtest/gtest.h>

namespace reports {
namespace {

using judgement::Reason;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'800'000'000)};
constexpr std::chrono::sys_seconds kLate = kNow + ShadowBook::kPatience;

ShadowBook::Decided Decided(Outcome outcome, bool may_judge) {
  return {.outcome = outcome, .at = kNow, .may_judge = may_judge};
}

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
  EXPECT_TRUE(book.PutVerdict(kRequest, kApproves, kNow).changed);
  EXPECT_FALSE(book.PutVerdict(kRequest, kApproves, kNow).changed);
  const auto answer = book.PutOutcome(kRequest, Decided(Outcome::kDenied, true));
  ASSERT_TRUE(answer.comparison);
  EXPECT_FALSE(answer.comparison->Agrees());
  EXPECT_EQ(answer.comparison->reason, Reason::kClientOk);
  EXPECT_FALSE(answer.judge);
  // The object changes again when the certificate is issued.
  EXPECT_FALSE(book.PutOutcome(kRequest, Decided(Outcome::kDenied, true)).comparison);
  EXPECT_TRUE(book.PutVerdict(kRequest, kLeaves, kNow).over);
  EXPECT_FALSE(book.Remove("a"));
}

TEST(ShadowBook, AsksForAnotherVerdictBeforeItDisagrees) {
  ShadowBook book;
  book.PutVerdict(kRequest, kLeaves, kNow);
  const auto answer = book.PutOutcome(kRequest, Decided(Outcome::kApproved, true));
  EXPECT_TRUE(answer.judge);
  EXPECT_FALSE(answer.comparison);
  EXPECT_TRUE(book.PutOutcome(kRequest, Decided(Outcome::kApproved, true)).judge)
      << "until the verdict";
  const auto verdict = book.PutVerdict(kRequest, kApproves, kNow);
  ASSERT_TRUE(verdict.comparison);
  EXPECT_TRUE(verdict.comparison->Agrees());
  EXPECT_TRUE(verdict.over);
  EXPECT_FALSE(book.PutOutcome(kRequest, Decided(Outcome::kApproved, true)).judge);
}

TEST(ShadowBook, AsksAgainIfTheSignerUpdatesARequestThatWasDecidedFirst) {
  ShadowBook book;
  EXPECT_TRUE(book.PutOutcome(kRequest, Decided(Outcome::kApproved, true)).judge);
  EXPECT_TRUE(book.PutOutcome(kRequest, Decided(Outcome::kApproved, true)).judge);
  const auto verdict = book.PutVerdict(kRequest, kLeaves, kLate);
  ASSERT_TRUE(verdict.comparison);
  EXPECT_FALSE(verdict.comparison->Agrees());
}

TEST(ShadowBook, WaitsForEvidenceBeforeItDisagreesWithAnApproval) {
  ShadowBook book;
  book.PutOutcome(kRequest, Decided(Outcome::kApproved, true));
  for (const std::chrono::sys_seconds now : {kNow, kLate - std::chrono::seconds(1)}) {
    const auto answer = book.PutVerdict(kRequest, kLeaves, now);
    EXPECT_TRUE(answer.judge);
    EXPECT_FALSE(answer.comparison);
    EXPECT_FALSE(answer.over);
  }
  const auto answer = book.PutVerdict(kRequest, kApproves, kLate - std::chrono::seconds(1));
  ASSERT_TRUE(answer.comparison);
  EXPECT_TRUE(answer.comparison->Agrees());
}

TEST(ShadowBook, DisagreesAtOnceIfNoEvidenceCanChangeTheVerdict) {
  ShadowBook book;
  book.PutOutcome(kRequest, Decided(Outcome::kApproved, true));
  ShadowBook::Verdict final = kLeaves;
  final.final = true;
  const auto answer = book.PutVerdict(kRequest, final, kNow);
  ASSERT_TRUE(answer.comparison);
  EXPECT_FALSE(answer.comparison->Agrees());
}

TEST(ShadowBook, AgreesWithADenialAtOnce) {
  ShadowBook book;
  book.PutOutcome(kRequest, Decided(Outcome::kDenied, true));
  const auto answer = book.PutVerdict(kRequest, kLeaves, kNow);
  ASSERT_TRUE(answer.comparison);
  EXPECT_TRUE(answer.comparison->Agrees());
}

TEST(ShadowBook, KeepsTheReasonOfTheVerdictBeforeTheDecision) {
  ShadowBook book;
  book.PutVerdict(kRequest, kLeaves, kNow);
  book.PutOutcome(kRequest, Decided(Outcome::kApproved, true));
  const auto verdict = book.PutVerdict(
      kRequest, {.would_approve = false, .reason = Reason::kClientNodeExists}, kLate);
  ASSERT_TRUE(verdict.comparison);
  EXPECT_EQ(verdict.comparison->reason, kLeaves.reason);
}

TEST(ShadowBook, DoesNotJudgeOldDecisions) {
  ShadowBook book;
  EXPECT_FALSE(book.PutOutcome(kRequest, Decided(Outcome::kApproved, false)).judge);
  EXPECT_TRUE(book.PutVerdict(kRequest, kApproves, kNow).over);
  const ShadowBook::Request known{.name = "b", .uid = "2"};
  book.PutVerdict(known, kLeaves, kNow);
  const auto answer = book.PutOutcome(known, Decided(Outcome::kApproved, false));
  ASSERT_TRUE(answer.comparison);
  EXPECT_FALSE(answer.comparison->Agrees());
}

TEST(ShadowBook, TreatsARemovedRequestAsUndecided) {
  ShadowBook book;
  book.PutVerdict(kRequest, kApproves, kNow);
  const auto comparison = book.Remove("a");
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->outcome, Outcome::kUndecided);
  EXPECT_FALSE(comparison->Agrees());
  EXPECT_FALSE(book.Remove("a"));
}

TEST(ShadowBook, ComparesTheFirstVerdictIfTheRequestIsRemovedBeforeAnother) {
  ShadowBook book;
  book.PutVerdict(kRequest, kLeaves, kNow);
  book.PutOutcome(kRequest, Decided(Outcome::kDenied, true));
  const auto comparison = book.Remove("a");
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->outcome, Outcome::kDenied);
  EXPECT_TRUE(comparison->Agrees());
}

TEST(ShadowBook, TreatsANewRequestOfTheSameNameSeparately) {
  ShadowBook book;
  book.PutVerdict(kRequest, kApproves, kNow);
  book.PutOutcome(kRequest, Decided(Outcome::kApproved, true));
  EXPECT_TRUE(book.PutOutcome({.name = "a", .uid = "2"}, Decided(Outcome::kApproved, true)).judge);
}

TEST(ShadowBook, BoundsTheNumberOfRequests) {
  ShadowBook book;
  for (std::size_t i = 0; i < ShadowBook::kMost; ++i) {
    book.PutVerdict({.name = std::to_string(i), .uid = "u"}, kLeaves, kNow);
  }
  EXPECT_TRUE(book.PutVerdict(kRequest, kApproves, kNow).over);
  book.Remove("0");
  EXPECT_FALSE(book.PutVerdict(kRequest, kApproves, kNow).over);
}

}  // namespace
}  // namespace reports
