// SPDX-License-Identifier: Apache-2.0
#include "doctor/before_init.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "config/paths.h"
#include "doctor/fake_facts.h"
#include "host/fake_host.h"

namespace doctor {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kWouldNotBegin = "init would not begin: ";

auto What(const auto& matcher) { return Field(&Finding::what, matcher); }

// Adds a container runtime. Any path that is neither a file nor a directory counts as a runtime's
// socket.
void AddRuntime(host::FakeHost& fake, std::string_view url) {
  fake.network.listening.emplace(url.substr(std::string_view("unix://").size()));
}

// Adds a swap device, about which the checks complain whatever init's defaults are.
void AddSwap(host::FakeHost& fake) {
  fake.files.Write("/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 9 0 -2\n",
                   {.mode = 0644});
}

Findings FindingsBeforeInit(host::FakeHost& fake) {
  Facts facts{.now = kNow};
  CollectBeforeInit(fake.host, facts);
  return Judge(facts);
}

auto Obstacles(const Findings& findings) {
  return std::ranges::count_if(
      findings, [](const Finding& finding) { return finding.what.starts_with(kWouldNotBegin); });
}

TEST(BeforeInit, TurnsErrorsIntoWarnings) {
  const checks::Finding refused =
      BeforeInit({.id = "Swap", .what = "swap is used by /dev/sda2", .remedy = "swapoff -a"});
  EXPECT_EQ(refused.severity, checks::Severity::kWarning);
  EXPECT_EQ(refused.what, "init would refuse, for Swap: swap is used by /dev/sda2");
  EXPECT_EQ(refused.subject, "Swap");
  EXPECT_EQ(refused.remedy, "swapoff -a (see \"Swap\" in docs/errors.md)");
  const checks::Finding warned =
      BeforeInit({.id = "Hostname", .severity = checks::Severity::kWarning, .what = "unknown"});
  EXPECT_EQ(warned.severity, checks::Severity::kNote);
  EXPECT_EQ(warned.what, "init would warn of Hostname: unknown");
}

TEST(CollectBeforeInit, TwoRuntimesDoNotHideOtherProblems) {
  host::FakeHost fake;
  AddSwap(fake);
  AddRuntime(fake, config::kContainerdSocket);
  AddRuntime(fake, config::kCrioSocket);
  const Findings findings = FindingsBeforeInit(fake);
  EXPECT_EQ(Obstacles(findings), 1);
  EXPECT_THAT(findings,
              Contains(AllOf(What(StartsWith("init would not begin: found several container "
                                             "runtimes")),
                             Field(&Finding::subject, "container runtime"),
                             Field(&Finding::severity, Severity::kWarning),
                             Field(&Finding::remedy, HasSubstr("--cri-socket")))));
  EXPECT_THAT(findings, Contains(Field(&Finding::subject, "Swap")));
  EXPECT_THAT(findings, Contains(Field(&Finding::subject, "CRI")));
}

TEST(CollectBeforeInit, AnInvalidHostNameDoesNotHideOtherProblems) {
  host::FakeHost fake;
  AddSwap(fake);
  fake.machine.hostname = "my_host";
  const Findings findings = FindingsBeforeInit(fake);
  EXPECT_EQ(Obstacles(findings), 1);
  EXPECT_THAT(findings,
              Contains(AllOf(What(AllOf(StartsWith(kWouldNotBegin), HasSubstr("my_host"))),
                             Field(&Finding::subject, "host name"),
                             Field(&Finding::remedy, HasSubstr("--node-name")))));
  EXPECT_THAT(findings, Contains(Field(&Finding::subject, "Swap")));
  // No finding is about the host name, because the checks ran with a replacement.
  EXPECT_THAT(findings, Each(Field(&Finding::subject, Not("Hostname"))));
}

TEST(CollectBeforeInit, EveryObstacleIsNamedWithItsOwnRemedy) {
  host::FakeHost fake;
  AddRuntime(fake, config::kContainerdSocket);
  AddRuntime(fake, config::kCrioSocket);
  fake.machine.hostname = "my_host";
  fake.network.interfaces[1].addresses.clear();
  const Findings findings = FindingsBeforeInit(fake);
  EXPECT_EQ(Obstacles(findings), 3);
  for (const char* culprit : {"container runtime", "host name", "address of the API server"}) {
    EXPECT_THAT(findings, Contains(AllOf(What(StartsWith(kWouldNotBegin)),
                                         Field(&Finding::subject, culprit))));
  }
  EXPECT_THAT(findings, Each(What(Not(HasSubstr("192.0.2.1")))));
}

TEST(CollectBeforeInit, AddsItsFindingsAfterOthers) {
  host::FakeHost fake;
  AddSwap(fake);
  Facts facts{.now = kNow};
  CollectBeforeInit(fake.host, facts);
  const Findings findings = Judge(facts);
  EXPECT_EQ(findings[0].id, "no-node");
  EXPECT_TRUE(std::ranges::is_sorted(findings.begin() + 1, findings.end(), std::ranges::greater{},
                                     &Finding::severity));
  EXPECT_THAT(facts.looked_at, Contains("what init would check"));
  // The machine of this test has no /proc/cpuinfo.
  EXPECT_THAT(facts.unseen, Contains(HasSubstr("features of the processor")));
}

}  // namespace
}  // namespace doctor
