// SPDX-License-Identifier: Apache-2.0
#include "static_pods/wait.h"

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "base/error.h"
#include "base/fake_error.h"
#include "components/fake_containers.h"
#include "host/fake_host.h"

namespace static_pods {
namespace {

using components::Ended;
using components::Running;
using components::With;
using testing::HasSubstr;
using namespace std::chrono_literals;

ComponentProbe Probe(const std::string& name, kube::Probe probe) {
  return {.name = name, .url = "https://" + name, .probe = std::move(probe)};
}

std::optional<kube::NotYet> Never(std::stop_token) { return kube::NotYet{"nobody answers"}; }
// A server that accepts a connection and stays silent.
std::optional<kube::NotYet> Hangs(std::stop_token stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait(lock, stop, [] { return false; });
  return kube::NotYet{"no answer"};
}

std::optional<kube::NotYet> AtOnce(std::stop_token) { return std::nullopt; }

TEST(WaitForComponents, EndsWhenAllAreHealthy) {
  host::FakeClock clock;
  std::vector<std::string> ended;
  const WaitOutcome outcome = WaitForComponents(
      {Probe("a", AtOnce), Probe("b", AtOnce)},
      {.clock = clock,
       .on_end = [&](const ComponentHealth& health) { ended.push_back(health.name); }});
  EXPECT_TRUE(outcome.healthy());
  EXPECT_THAT(ended, testing::UnorderedElementsAre("a", "b"));
  EXPECT_EQ(outcome.components[1].url, "https://b");
  EXPECT_FALSE(outcome.diagnosis);
}

TEST(WaitForComponents, EndsAtTheLimitWithTheLastState) {
  host::FakeClock clock;
  const WaitOutcome outcome =
      WaitForComponents({Probe("kube-apiserver", AtOnce), Probe("kube-scheduler", Never)},
                        {.clock = clock, .limit = 1ms, .facts = [] {
                           return With({Ended("kube-scheduler", 1, {"hm"})});
                         }});
  EXPECT_FALSE(outcome.healthy());
  EXPECT_TRUE(outcome.components[0].healthy());
  EXPECT_THAT(outcome.components[1].problem, testing::Optional(HasSubstr("nobody answers")));
  ASSERT_TRUE(outcome.diagnosis);
  EXPECT_EQ(outcome.diagnosis->subject, "kube-scheduler");
}

TEST(RequireHealthy, NamesUnhealthyComponentsWithTheDiagnosisOrTheirReasons) {
  EXPECT_NO_THROW(RequireHealthy({.components = {{.name = "a", .url = "", .problem = {}}}}));
  WaitOutcome outcome{.components = {{.name = "a", .url = "", .took = 2s, .problem = "down"},
                                     {.name = "b", .url = "", .took = 3s, .problem = "away"},
                                     {.name = "c", .url = "", .problem = {}}}};
  const auto message = [&] {
    return base::MessageOf([&] { RequireHealthy(outcome); }, base::Error::Kind::kTimeout);
  };
  EXPECT_EQ(message(),
            "could not bring up the control plane: a is not healthy after 2s: down; b is not "
            "healthy after 3s: away");
  outcome.diagnosis.emplace().subject = "a";
  EXPECT_THAT(message(), HasSubstr("a is not healthy after 2s; b is not healthy after 3s\n"));
}

TEST(WaitForComponents, CountsFailuresThatTheKubeletHasRemovedSince) {
  host::FakeClock clock;
  int looks = 0;
  const WaitOutcome outcome = WaitForComponents(
      {Probe("etcd", [](std::stop_token) { return std::optional(kube::NotYet{"down"}); })},
      {.clock = clock, .limit = std::chrono::seconds(60), .facts = [&] {
         components::ContainerFact fact = Ended("etcd", 1, {"flag provided but not defined: -x"});
         fact.failures[0].id = std::to_string(++looks);  // only one at a time is visible
         return With({fact});
       }});
  ASSERT_TRUE(outcome.diagnosis);
  EXPECT_EQ(outcome.diagnosis->sure, checks::Confidence::kCertain);
  EXPECT_EQ(looks, 2);
}

TEST(WaitForComponents, ReportsALikelyFindingOnceAndContinues) {
  host::FakeClock clock;
  std::vector<std::string> told;
  std::atomic<bool> has_told = false;
  const WaitOutcome outcome = WaitForComponents(
      {Probe("etcd",
             [&](std::stop_token) {
               return has_told ? std::nullopt : std::optional(kube::NotYet{"down"});
             })},
      {.clock = clock,
       .limit = std::chrono::seconds(60),
       .on_likely =
           [&](const checks::Finding& finding) {
             told.push_back(finding.evidence);
             has_told = true;
           },
       .facts =
           [] { return With({Ended("etcd", 3, {"panic: listen: address already in use"})}); }});
  EXPECT_TRUE(outcome.healthy());
  EXPECT_THAT(told, testing::ElementsAre("panic: listen: address already in use"));
}

TEST(WaitForComponents, DoesNotReportAMomentaryFinding) {
  host::FakeClock clock;
  int looks = 0;
  std::vector<std::string> told;
  WaitForComponents(
      {Probe("etcd", Never)},
      {.clock = clock,
       .limit = std::chrono::seconds(60),
       .on_likely = [&](const checks::Finding& finding) { told.push_back(finding.what); },
       .facts =
           [&] {
             components::ControlPlaneFacts facts;
             if (++looks % 2 == 1) {
               facts.kubelet_problem = "its service is not active";
             }
             return facts;
           }});
  EXPECT_GT(looks, 2);
  EXPECT_THAT(told, testing::IsEmpty());
}

TEST(WaitForComponents, EndsEarlyAfterACertainFailure) {
  host::FakeClock clock;
  const WaitOutcome outcome = WaitForComponents(
      {Probe("kube-apiserver", Never), Probe("kube-scheduler", Never)},
      {.clock = clock, .limit = 10min, .facts = [] {
         return With({Running("etcd"), Ended("kube-apiserver", 2, {"Error: unknown flag: --x"})});
       }});
  ASSERT_TRUE(outcome.diagnosis);
  EXPECT_EQ(outcome.diagnosis->sure, checks::Confidence::kCertain);
  EXPECT_EQ(outcome.diagnosis->subject, "kube-apiserver");
}

TEST(WaitForComponents, ReportsAtTheEndThatNothingWasStarted) {
  host::FakeClock clock;
  std::vector<std::string> told;
  const auto wait = [&](bool known) {
    return WaitForComponents(
        {Probe("kube-apiserver", Never)},
        {.clock = clock,
         .limit = 10s,
         .on_likely = [&](const checks::Finding& finding) { told.push_back(finding.what); },
         .facts =
             [known] {
               components::ControlPlaneFacts facts;
               facts.containers_known = known;
               return facts;
             }});
  };
  EXPECT_EQ(wait(true).diagnosis->what, "no container of kube-apiserver has been made");
  EXPECT_THAT(told, testing::IsEmpty()) << "the kubelet might have been on its way";
  EXPECT_FALSE(wait(false).diagnosis);
}

TEST(WaitForComponents, PollsWhileNoComponentAnswers) {
  host::FakeClock clock;
  const WaitOutcome outcome = WaitForComponents(
      {Probe("kube-apiserver", Hangs)},
      {.clock = clock,
       .facts = [] { return With({Ended("kube-apiserver", 2, {"Error: unknown flag: --x"})}); }});
  ASSERT_TRUE(outcome.diagnosis);
  EXPECT_EQ(outcome.diagnosis->subject, "kube-apiserver");
}

TEST(WaitForComponents, CanBeStopped) {
  host::FakeClock clock;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(WaitForComponents({Probe("a", Never)},
                                 {.clock = clock, .limit = 10min, .stop = stop.get_token()}),
               base::Interrupted);
}

}  // namespace
}  // namespace static_pods
