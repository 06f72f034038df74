// SPDX-License-Identifier: Apache-2.0
#include "preflight/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>

#include "base/error.h"

namespace preflight {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Check Saying(std::string name, Verdict verdict) {
  return {.name = std::move(name), .run = [verdict](const std::stop_token&) { return verdict; }};
}

const Verdict kBoth{.warnings = {"w"}, .errors = {"e"}, .details = {{.name = "A", .value = "b"}}};

TEST(RunChecksTest, KeepsFindingsInTheOrderOfTheChecks) {
  const Check checks[] = {Saying("One", kBoth), Saying("Two", {}),
                          Saying("Three", Verdict::Error("x"))};
  const Report report = RunChecks(checks);
  EXPECT_THAT(report.findings, ElementsAre(Finding{Severity::kWarning, "One", "w"},
                                           Finding{Severity::kError, "One", "e"},
                                           Finding{Severity::kError, "Three", "x"}));
  EXPECT_TRUE(report.Failed());
  EXPECT_EQ(report.Of(Severity::kWarning).size(), 1U);
  EXPECT_EQ(report.details.size(), 1U);
}

TEST(RunChecksTest, WhateverACheckThrowsIsItsError) {
  const Check checks[] = {{.name = "One",
                           .run = [](const std::stop_token&) -> Verdict {
                             throw std::out_of_range("no error of ours");
                           }},
                          Saying("Two", {})};
  EXPECT_THAT(RunChecks(checks).findings,
              ElementsAre(Finding{Severity::kError, "One", "no error of ours"}));
}

TEST(RunChecksTest, IgnoredErrorsAreWarningsWhateverTheirCase) {
  const Check checks[] = {Saying("FileAvailable--etc-X", Verdict::Error("x"))};
  for (const auto& [ignored, failed] :
       std::initializer_list<std::pair<std::set<std::string>, bool>>{
           {{}, true},
           {{"fileavailable--etc-x"}, false},
           {{"all"}, false},
           {{"port-6443"}, true}}) {
    const Report report = RunChecks(checks, {.ignored = ignored});
    EXPECT_EQ(report.Failed(), failed);
    EXPECT_EQ(report.findings.size(), 1U) << "it is told in any case";
  }
}

TEST(RunChecksTest, DetailsComeOnlyWithErrorsIgnoredOrNot) {
  Verdict warned = kBoth;
  warned.errors.clear();
  const Check good[] = {Saying("A", warned)};
  EXPECT_THAT(RunChecks(good).details, IsEmpty());
  const Check bad[] = {Saying("A", kBoth)};
  EXPECT_THAT(RunChecks(bad, {.ignored = {"a"}}).details,
              ElementsAre(Detail{.name = "A", .value = "b"}));
}

TEST(RunChecksTest, AnExceptionOfACheckIsItsError) {
  const Check checks[] = {{.name = "Mem", .run = [](const std::stop_token&) -> Verdict {
                             throw base::Error("sysinfo: not available");
                           }}};
  EXPECT_THAT(RunChecks(checks).findings,
              ElementsAre(Finding{Severity::kError, "Mem", "sysinfo: not available"}));
}

TEST(RunChecksTest, PropagatesNonStandardExceptions) {
  const std::vector<Check> checks = {{"A", [](std::stop_token) -> Verdict { throw 7; }},
                                     {"B", [](std::stop_token) { return Verdict(); }}};
  EXPECT_THROW(RunChecks(checks), int);
}

TEST(RunChecksTest, ChecksRunAtTheSameTimeAndAreToldInOrder) {
  // The first can end only after the second has begun.
  std::latch second_began(1);
  const Check checks[] = {{.name = "1",
                           .run =
                               [&](const std::stop_token&) {
                                 second_began.wait();
                                 return Verdict::Warning("a");
                               }},
                          {.name = "2", .run = [&](const std::stop_token&) {
                             second_began.count_down();
                             return Verdict::Warning("b");
                           }}};
  std::vector<std::string> told;
  RunChecks(checks,
            {.on_check = [&](const Report& one) { told.push_back(one.findings.at(0).text); }});
  EXPECT_THAT(told, ElementsAre("a", "b"));
}

TEST(RunChecksTest, NoChecksNoFindings) { EXPECT_FALSE(RunChecks({}).Failed()); }

TEST(RunChecksTest, TheStopTokenReachesTheChecks) {
  std::stop_source source;
  source.request_stop();
  const Check checks[] = {{.name = "1", .run = [](const std::stop_token& stop) {
                             return stop.stop_requested() ? Verdict::Error("stopped") : Verdict{};
                           }}};
  EXPECT_TRUE(RunChecks(checks, {.stop = source.get_token()}).Failed());
}

}  // namespace
}  // namespace preflight
