// SPDX-License-Identifier: Apache-2.0
#include "workflow/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"

namespace workflow {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Data {
  bool external = false;
};
using TestPhase = Phase<Data>;

void Nothing(Data&, Context&) {}

std::vector<TestPhase> Phases() {
  return {{.name = "preflight", .aliases = {"pre-flight"}, .makes = {"checked"}, .run = Nothing},
          {.name = "certs",
           .needs = {"checked"},
           .makes = {"certs"},
           .run = Nothing,
           .all = AllSiblings{.summary = "All"},
           .children = {{.name = "ca", .makes = {"ca"}, .run = Nothing},
                        {.name = "apiserver", .needs = {"ca"}, .run = Nothing},
                        {.name = "sa", .run = Nothing}}},
          {.name = "kubeconfig",
           .children = {{.name = "admin", .needs = {"ca"}, .makes = {"admin.conf"}, .run = Nothing},
                        {.name = "kubelet", .hidden = true, .needs = {"ca"}, .run = Nothing}}},
          {.name = "certs-upload", .needs = {"certs"}, .run = Nothing},
          {.name = "token", .needs = {"admin.conf"}, .run = Nothing},
          {.name = "show", .depends_on = {"token", "certs-upload"}, .run = Nothing}};
}

std::vector<std::string> Paths(const Plan& plan) {
  std::vector<std::string> paths;
  for (const Step& step : plan.steps) {
    paths.push_back(step.path);
  }
  return paths;
}

std::vector<std::string> WaitsOf(const Plan& plan, const std::string& path) {
  std::vector<std::string> waits;
  for (const Step& step : plan.steps) {
    if (step.path == path) {
      for (const std::size_t index : step.waits_for) {
        waits.push_back(plan.steps[index].path);
      }
    }
  }
  return waits;
}

std::string ErrorOf(const Selection& selection) {
  return base::MessageOf([&] { MakePlan(Phases(), selection); });
}

TEST(MakePlan, OrdersGroupsBeforeTheirChildren) {
  const Plan plan = MakePlan(Phases(), {});
  EXPECT_THAT(Paths(plan), ElementsAre("preflight", "certs", "certs/ca", "certs/apiserver",
                                       "certs/sa", "kubeconfig/admin", "kubeconfig/kubelet",
                                       "certs-upload", "token", "show"));
  EXPECT_THAT(plan.skipped, IsEmpty());
}

TEST(MakePlan, SelectingAChildOmitsItsGroup) {
  EXPECT_THAT(Paths(MakePlan(Phases(), {.only = "certs/ca"})), ElementsAre("certs/ca"));
}

TEST(MakePlan, SelectsTheChildrenOfAGroupOnly) {
  EXPECT_THAT(Paths(MakePlan(Phases(), {.only = "certs"})),
              ElementsAre("certs", "certs/ca", "certs/apiserver", "certs/sa"));
}

TEST(MakePlan, SkipRemovesAPhaseWithItsChildren) {
  const Plan plan = MakePlan(Phases(), {.skip = {"certs", "kubeconfig/kubelet"}});
  EXPECT_THAT(Paths(plan),
              ElementsAre("preflight", "kubeconfig/admin", "certs-upload", "token", "show"));
  EXPECT_THAT(plan.skipped, ElementsAre("certs", "certs/ca", "certs/apiserver", "certs/sa",
                                        "kubeconfig/kubelet"));
}

TEST(MakePlan, PrefersSkipToOnly) {
  EXPECT_THAT(Paths(MakePlan(Phases(), {.only = "certs", .skip = {"certs/ca", "token"}})),
              ElementsAre("certs", "certs/apiserver", "certs/sa"));
}

TEST(MakePlan, AcceptsTheNameAllOfAGroup) {
  EXPECT_EQ(MakePlan(Phases(), {.skip = {"certs/all"}}).steps.size(), 10U);
  EXPECT_EQ(ErrorOf({.skip = {"kubeconfig/all"}}), "invalid phase name: kubeconfig/all");
}

TEST(MakePlan, RefusesUnknownNames) {
  for (const char* name : {"nope", "certs/nope", "certs/", "Certs", " certs", "pre-flight", "ca"}) {
    EXPECT_EQ(ErrorOf({.skip = {"certs", name}}), std::string("invalid phase name: ") + name);
    EXPECT_EQ(ErrorOf({.only = name}), std::string("invalid phase name: ") + name);
  }
}

TEST(MakePlan, RefusesNamesOfHiddenPartsOfAPhase) {
  const std::vector<TestPhase> phases = {
      {.name = "preflight", .children = {{.name = "checks", .hidden = true, .run = Nothing}}},
      {.name = "check-etcd", .hidden = true, .run = Nothing}};
  EXPECT_EQ(MakePlan(phases, {}).steps.at(0).name, "preflight");
  EXPECT_EQ(base::MessageOf([&] { MakePlan(phases, {.skip = {"preflight/checks"}}); }),
            "invalid phase name: preflight/checks");
  EXPECT_EQ(MakePlan(phases, {.skip = {"preflight", "check-etcd"}}).steps.size(), 0U);
}

TEST(MakePlan, RequiresDependenciesBeforeThePhase) {
  EXPECT_EQ(ErrorOf({.only = "show"}),
            "unresolved dependencies:\n"
            "\tphase \"show\" needs [token certs-upload] to run before it");
  EXPECT_EQ(ErrorOf({.skip = {"token"}}),
            "unresolved dependencies:\n\tphase \"show\" needs [token] to run before it");
  EXPECT_EQ(ErrorOf({.skip = {"token", "show"}}), "");
}

TEST(MakePlan, WaitsForProducersOfNeedsAndForGroups) {
  const Plan plan = MakePlan(Phases(), {});
  EXPECT_THAT(WaitsOf(plan, "preflight"), IsEmpty());
  EXPECT_THAT(WaitsOf(plan, "certs"), ElementsAre("preflight"));
  EXPECT_THAT(WaitsOf(plan, "certs/ca"), ElementsAre("preflight", "certs"));
  EXPECT_THAT(WaitsOf(plan, "certs/apiserver"), ElementsAre("preflight", "certs", "certs/ca"));
  EXPECT_THAT(WaitsOf(plan, "kubeconfig/admin"), ElementsAre("certs/ca"));
  EXPECT_THAT(WaitsOf(plan, "token"), ElementsAre("kubeconfig/admin"));
  EXPECT_THAT(WaitsOf(plan, "show"), IsEmpty());
}

TEST(MakePlan, MovesAPhaseAfterThePhaseThatItAwaits) {
  const std::vector<TestPhase> phases = {
      {.name = "pods",
       .children = {{.name = "a", .makes = {"pod"}, .run = Nothing},
                    {.name = "b", .makes = {"others"}, .awaits = {"up"}, .run = Nothing},
                    {.name = "c", .awaits = {"up"}, .run = Nothing}}},
      {.name = "start", .needs = {"pod"}, .makes = {"started"}, .run = Nothing},
      {.name = "wait", .needs = {"started"}, .makes = {"up"}, .run = Nothing},
      {.name = "last", .needs = {"others"}, .run = Nothing}};
  EXPECT_THAT(Flaws(Erase(phases)), IsEmpty());
  const Plan plan = MakePlan(phases, {});
  EXPECT_THAT(Paths(plan), ElementsAre("pods/a", "start", "wait", "pods/b", "pods/c", "last"));
  EXPECT_THAT(WaitsOf(plan, "pods/b"), ElementsAre("wait"));
  EXPECT_THAT(WaitsOf(plan, "last"), ElementsAre("pods/b"));

  const Plan unawaited = MakePlan(phases, {.skip = {"wait"}});
  EXPECT_THAT(WaitsOf(unawaited, "pods/c"), ElementsAre("start"));
  const Plan alone = MakePlan(phases, {.only = "pods"});
  EXPECT_THAT(Paths(alone), ElementsAre("pods/a", "pods/b", "pods/c"));
  EXPECT_THAT(WaitsOf(alone, "pods/b"), IsEmpty());
  const Plan dry = MakePlan(phases, {.skip = {}, .comes_up = false});
  EXPECT_THAT(Paths(dry), ElementsAre("pods/a", "pods/b", "pods/c", "start", "wait", "last"));
  EXPECT_THAT(WaitsOf(dry, "pods/b"), IsEmpty());
}

TEST(MakePlan, WaitsForAllChildrenOfAProducingGroup) {
  EXPECT_THAT(WaitsOf(MakePlan(Phases(), {}), "certs-upload"),
              ElementsAre("certs", "certs/ca", "certs/apiserver", "certs/sa"));
}

TEST(MakePlan, WaitsForTheNeedsOfASkippedPhase) {
  const Plan plan = MakePlan(Phases(), {.skip = {"certs/ca"}});
  EXPECT_THAT(WaitsOf(plan, "certs/apiserver"), ElementsAre("preflight", "certs"));
  EXPECT_THAT(WaitsOf(plan, "kubeconfig/admin"), ElementsAre("preflight", "certs"));
}

TEST(MakePlan, InheritsNeedsThroughAChainOfSkippedPhases) {
  const Plan plan = MakePlan(Phases(), {.skip = {"certs", "kubeconfig"}});
  EXPECT_THAT(WaitsOf(plan, "certs-upload"), ElementsAre("preflight"));
  EXPECT_THAT(WaitsOf(plan, "token"), ElementsAre("preflight"));
}

TEST(MakePlan, TreatsArtifactsOfASkippedPhaseWithoutNeedsAsPresent) {
  const Plan plan = MakePlan(Phases(), {.skip = {"preflight", "certs/ca"}});
  EXPECT_THAT(WaitsOf(plan, "certs"), IsEmpty());
  EXPECT_THAT(WaitsOf(plan, "certs/apiserver"), ElementsAre("certs"));
  EXPECT_THAT(WaitsOf(plan, "kubeconfig/admin"), ElementsAre("certs"));
}

TEST(MakePlan, DoesNotWaitIfThePhaseRunsAlone) {
  EXPECT_THAT(WaitsOf(MakePlan(Phases(), {.only = "kubeconfig"}), "kubeconfig/admin"), IsEmpty());
}

TEST(MakePlan, NeverWaitsForALaterPhase) {
  const Plan plan = MakePlan(std::vector<TestPhase>{{.name = "a", .needs = {"x"}, .run = Nothing},
                                                    {.name = "b", .makes = {"x"}, .run = Nothing}},
                             {});
  EXPECT_THAT(WaitsOf(plan, "a"), IsEmpty());
}

TEST(MakePlan, AppliesTheConditionOfAGroupToASingleChild) {
  const auto internal = [](const Data& data) { return !data.external; };
  const Plan plan = MakePlan(
      std::vector<TestPhase>{{.name = "group",
                              .when = internal,
                              .children = {{.name = "child", .when = internal, .run = Nothing}}}},
      {.only = "group/child"});
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].when.size(), 2U);
}

TEST(Flaws, AcceptsAGoodList) { EXPECT_THAT(Flaws(Erase(Phases())), IsEmpty()); }

TEST(Flaws, ReportsMistakes) {
  const std::vector<TestPhase> phases = {
      {.name = "a", .aliases = {"b"}, .needs = {"later"}, .awaits = {"never"}, .run = Nothing},
      {.name = "b", .makes = {"later"}, .depends_on = {"c"}, .run = Nothing},
      {.name = "c",
       .awaits = {"later"},
       .children = {{.name = "x"}, {.name = "x", .run = Nothing}}}};
  EXPECT_THAT(Flaws(Erase(phases)),
              ElementsAre("b is given twice", "c/x is given twice",
                          "a needs an artifact that no earlier phase makes: later",
                          "a awaits what no phase makes: never",
                          "b depends on a phase that is not an earlier one: c",
                          "c would come behind its children", "c/x does nothing"));
}

}  // namespace
}  // namespace workflow
