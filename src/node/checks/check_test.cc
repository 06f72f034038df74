// SPDX-License-Identifier: Apache-2.0
#include "checks/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>

#include "base/error.h"

namespace checks {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

Check Reporting(std::string id, Findings findings) {
  return {.id = std::move(id), .judge = [findings](const std::stop_token&) { return findings; }};
}

auto Is(Severity severity, const char* id, const char* what) {
  return AllOf(Field(&Finding::severity, severity), Field(&Finding::id, id),
               Field(&Finding::what, what));
}

TEST(RunChecks, ReturnsFindingsInTheOrderOfTheChecksWarningsFirst) {
  const Check checks[] = {Reporting("One", {Refuse("e"), Warn("w")}), Reporting("Two", {}),
                          Reporting("Three", {Refuse("x")})};
  const Findings findings = RunChecks(checks);
  EXPECT_THAT(findings,
              ElementsAre(Is(Severity::kWarning, "One", "w"), Is(Severity::kError, "One", "e"),
                          Is(Severity::kError, "Three", "x")));
  EXPECT_TRUE(HasErrors(findings));
  EXPECT_THAT(WhatOf(findings, Severity::kWarning), ElementsAre("w"));
}

TEST(RunChecks, AddsTheRemedyOfTheCheckToItsFindings) {
  const Check checks[] = {
      {.id = "One", .remedy = "the usual one", .judge = [](const std::stop_token&) -> Findings {
         return {Warn("a"), {.id = "own", .severity = Severity::kError, .remedy = "its own"}};
       }}};
  EXPECT_THAT(
      RunChecks(checks),
      ElementsAre(AllOf(Field(&Finding::id, "One"), Field(&Finding::remedy, "the usual one")),
                  AllOf(Field(&Finding::id, "own"), Field(&Finding::remedy, "its own"))));
}

TEST(RunChecks, ReportsAnExceptionAsAnErrorOfItsCheck) {
  const Check checks[] = {{.id = "One",
                           .judge = [](const std::stop_token&) -> Findings {
                             throw std::out_of_range("no error of ours");
                           }},
                          {.id = "Mem", .judge = [](const std::stop_token&) -> Findings {
                             throw base::Error("sysinfo: not available");
                           }}};
  EXPECT_THAT(RunChecks(checks),
              ElementsAre(Is(Severity::kError, "One", "no error of ours"),
                          Is(Severity::kError, "Mem", "sysinfo: not available")));
}

TEST(RunChecks, TurnsIgnoredErrorsIntoWarningsInAnyCase) {
  const Check checks[] = {Reporting("FileAvailable--etc-X", {Refuse("x")})};
  for (const auto& [ignored, failed] :
       std::initializer_list<std::pair<std::set<std::string>, bool>>{
           {{}, true},
           {{"fileavailable--etc-x"}, false},
           {{"all"}, false},
           {{"port-6443"}, true}}) {
    const Findings findings = RunChecks(checks, {.ignored = ignored});
    EXPECT_EQ(HasErrors(findings), failed);
    EXPECT_EQ(findings.size(), 1U) << "it is reported in any case";
  }
}

TEST(RunChecks, KeepsErrorsThatMayNotBeIgnored) {
  const Check checks[] = {Reporting("One", {{.what = "no way"}})};
  EXPECT_TRUE(HasErrors(RunChecks(checks, {.ignored = {"all"}})));
}

TEST(RunChecks, RethrowsValuesThatAreNotExceptions) {
  const std::vector<Check> checks = {
      {.id = "A", .judge = [](const std::stop_token&) -> Findings { throw 7; }},
      Reporting("B", {})};
  EXPECT_THROW(RunChecks(checks), int);
}

TEST(RunChecks, RunsChecksConcurrentlyAndReportsInOrder) {
  // The first check can end only after the second check has begun.
  std::latch second_began(1);
  const Check checks[] = {{.id = "1",
                           .judge = [&](const std::stop_token&) -> Findings {
                             second_began.wait();
                             return {Warn("a")};
                           }},
                          {.id = "2", .judge = [&](const std::stop_token&) -> Findings {
                             second_began.count_down();
                             return {Warn("b")};
                           }}};
  std::vector<std::string> told;
  RunChecks(checks, {.on_check = [&](const Findings& one) { told.push_back(one.at(0).what); }});
  EXPECT_THAT(told, ElementsAre("a", "b"));
}

TEST(RunChecks, FindsNothingWithoutChecks) { EXPECT_THAT(RunChecks({}), IsEmpty()); }

TEST(RunChecks, StartsNoCheckAfterAnInterrupt) {
  std::stop_source source;
  std::atomic<int> begun = 0;
  const Check interrupted = {.id = "1", .judge = [&](const std::stop_token& stop) -> Findings {
                               ++begun;
                               source.request_stop();
                               EXPECT_TRUE(stop.stop_requested());
                               throw base::Interrupted("stopped");
                             }};
  const std::vector checks(3, interrupted);
  EXPECT_THROW(RunChecks(checks, {.stop = source.get_token(), .threads = 1}), base::Interrupted);
  EXPECT_EQ(begun, 1);
}

TEST(Select, ReturnsTheChecksForTheGivenCommand) {
  Check both = Reporting("Both", {});
  both.when = kBeforeInit | kBeforeJoin;
  Check join = Reporting("Join", {});
  join.when = kBeforeJoin;
  EXPECT_THAT(Select({both, join}, kBeforeInit), ElementsAre(Field(&Check::id, "Both")));
  EXPECT_THAT(Select({join, both}, kBeforeJoin),
              ElementsAre(Field(&Check::id, "Join"), Field(&Check::id, "Both")));
}

TEST(Judge, RunsChecksInOrderAndPropagatesErrors) {
  EXPECT_THAT(Judge(std::vector{Reporting("1", {Refuse("e"), Warn("w")}), Reporting("2", {})}),
              ElementsAre(Is(Severity::kError, "1", "e"), Is(Severity::kWarning, "1", "w")));
  const Check throws = {.id = "1", .judge = [](const std::stop_token&) -> Findings {
                          throw base::Error("a fault of ours");
                        }};
  EXPECT_THROW(Judge(std::vector{throws}), base::Error);
}

}  // namespace
}  // namespace checks
