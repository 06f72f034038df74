// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/init/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "cli/command.h"
#include "kubeadm/init/flags.h"
#include "workflow/bind.h"
#include "workflow/plan.h"

namespace kubeadm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Paths(const workflow::Plan& plan) {
  std::vector<std::string> paths;
  for (const workflow::Step& step : plan.steps) {
    paths.push_back(step.path);
  }
  return paths;
}

// Indexes of the steps that a step waits for, as paths.
std::vector<std::string> WaitsOf(const workflow::Plan& plan, const std::string& path) {
  const auto step = std::ranges::find(plan.steps, path, &workflow::Step::path);
  std::vector<std::string> waits;
  for (const std::size_t index : step->waits_for) {
    waits.push_back(plan.steps[index].path);
  }
  return waits;
}

TEST(InitPhases, HaveNoFlaws) {
  EXPECT_THAT(workflow::Flaws(workflow::Erase(InitPhases())), IsEmpty());
}

TEST(InitPhases, NothingIsWrittenBeforeTheChecks) {
  const workflow::Plan plan = workflow::MakePlan(InitPhases(), {});
  for (const workflow::Step& step : plan.steps) {
    // Either the checks themselves, or something that waits for them, at once or through another.
    std::vector<std::string> waits = {step.path};
    bool reaches_checks = false;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      reaches_checks = reaches_checks || waits[i] == "preflight/checks";
      std::ranges::copy(WaitsOf(plan, waits[i]), std::back_inserter(waits));
    }
    EXPECT_TRUE(reaches_checks) << step.path;
  }
}

TEST(InitPhases, KubeletStartsWithoutWaitingForWhatItDoesNotRead) {
  const workflow::Plan plan = workflow::MakePlan(InitPhases(), {});
  EXPECT_THAT(WaitsOf(plan, "kubelet-start"), ElementsAre("kubeconfig/kubelet"));
}

TEST(InitPhases, PhasesOfTheClusterWaitForTheApiServerAlone) {
  const workflow::Plan plan = workflow::MakePlan(InitPhases(), {});
  EXPECT_THAT(WaitsOf(plan, "mark-control-plane"), ElementsAre("wait-control-plane/api"));
}

TEST(InitPhases, JoinCommandNeedsTokenAndCertificatesOfTheSameRun) {
  EXPECT_THROW(workflow::MakePlan(InitPhases(), {.only = "show-join-command"}), base::Error);
  EXPECT_THROW(workflow::MakePlan(InitPhases(), {.skip = {"upload-certs"}}), base::Error);
  EXPECT_NO_THROW(
      workflow::MakePlan(InitPhases(), {.skip = {"bootstrap-token", "show-join-command"}}));
}

TEST(InitPhases, CertificatesCalledAloneSayNoDirectory) {
  EXPECT_THAT(Paths(workflow::MakePlan(InitPhases(), {.only = "certs/ca"})),
              ElementsAre("certs/ca"));
}

TEST(InitPhases, EveryFlagThatAPhaseOffersExists) {
  cli::Command command{.name = "init"};
  workflow::BindPhases(command, {.phases = [] { return workflow::Erase(InitPhases()); },
                                 .flags = InitPhaseFlags,
                                 .run = [](cli::Invocation&, const std::string&) {}});
  int commands = 0;
  const std::function<void(const cli::Command&)> visit = [&](const cli::Command& parent) {
    ++commands;
    if (parent.children) {
      std::ranges::for_each(parent.children(), visit);  // throws for a flag that is not there
    }
  };
  EXPECT_NO_THROW(visit(command));
  EXPECT_GT(commands, 40);
}

}  // namespace
}  // namespace kubeadm
