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

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

std::vector<std::string> Paths(const workflow::Plan& plan) {
  std::vector<std::string> paths;
  for (const workflow::Step& step : plan.steps) {
    paths.push_back(step.path);
  }
  return paths;
}

// Returns the paths of the steps that a step waits for.
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

// Returns all steps that a step waits for, directly or indirectly.
std::vector<std::string> AllWaitsOf(const workflow::Plan& plan, const std::string& path) {
  std::vector<std::string> waits = WaitsOf(plan, path);
  for (std::size_t i = 0; i < waits.size(); ++i) {
    std::ranges::copy(WaitsOf(plan, waits[i]), std::back_inserter(waits));
  }
  return waits;
}

void ExpectThatAllWaitForTheChecks(const workflow::Plan& plan, const std::string& skipped) {
  for (const workflow::Step& step : plan.steps) {
    if (step.path != "preflight/checks") {
      EXPECT_THAT(AllWaitsOf(plan, step.path), Contains("preflight/checks"))
          << step.path << " without " << skipped;
    }
  }
}

TEST(InitPhases, NothingIsWrittenBeforeTheChecks) {
  ExpectThatAllWaitForTheChecks(workflow::MakePlan(InitPhases(), {}), "nothing");
}

void AddPaths(const std::string& group, const std::vector<InitPhase>& phases,
              std::vector<std::string>& paths) {
  for (const InitPhase& phase : phases) {
    paths.push_back(group + phase.name);
    // A phase whose children are all hidden is a single phase to its user.
    if (!std::ranges::all_of(phase.children, &InitPhase::hidden)) {
      AddPaths(group + phase.name + "/", phase.children, paths);
    }
  }
}

// Returns the phases to skip together with `path`. The join command needs the results of
// bootstrap-token and upload-certs.
std::vector<std::string> SkipsWith(const std::string& path) {
  const bool shown = path == "bootstrap-token" || path == "upload-certs";
  return shown ? std::vector<std::string>{path, "show-join-command"} : std::vector{path};
}

TEST(InitPhases, NothingIsWrittenBeforeTheChecksWhateverIsSkipped) {
  std::vector<std::string> paths;
  AddPaths("", InitPhases(), paths);
  for (const std::string& path : paths) {
    if (!path.starts_with("preflight")) {
      ExpectThatAllWaitForTheChecks(workflow::MakePlan(InitPhases(), {.skip = SkipsWith(path)}),
                                    path);
    }
  }
}

TEST(InitPhases, PhasesOfTheClusterWaitForTheKubeletIfTheWaitIsSkipped) {
  const workflow::Plan plan = workflow::MakePlan(InitPhases(), {.skip = {"wait-control-plane"}});
  for (const char* path : {"upload-config/kubeadm", "mark-control-plane", "bootstrap-token",
                           "kubelet-finalize/enable-client-cert-rotation", "addon/coredns"}) {
    EXPECT_THAT(AllWaitsOf(plan, path),
                IsSupersetOf({"kubelet-start", "kubeconfig/admin", "control-plane/apiserver"}))
        << path;
  }
}

TEST(InitPhases, KubeletWaitsOnlyForFilesThatItReads) {
  const workflow::Plan plan = workflow::MakePlan(InitPhases(), {});
  EXPECT_THAT(WaitsOf(plan, "kubelet-start"), ElementsAre("kubeconfig/kubelet"));
}

TEST(InitPhases, PhasesOfTheClusterWaitForTheApiServersRulesAlone) {
  const workflow::Plan plan = workflow::MakePlan(InitPhases(), {});
  EXPECT_THAT(WaitsOf(plan, "mark-control-plane"), ElementsAre("wait-control-plane/rules"));
}

TEST(InitPhases, ControllersStartWhenTheApiServerHasReadItsRules) {
  const workflow::Plan plan = workflow::MakePlan(InitPhases(), {});
  for (const char* path : {"control-plane/controller-manager", "control-plane/scheduler"}) {
    EXPECT_THAT(WaitsOf(plan, path), Contains("wait-control-plane/rules")) << path;
    EXPECT_THAT(WaitsOf(plan, "wait-control-plane/components"), Contains(path));
    EXPECT_THAT(WaitsOf(plan, "wait-control-plane/accounts"), Contains(path));
  }
  EXPECT_THAT(AllWaitsOf(plan, "control-plane/apiserver"), Not(Contains("wait-control-plane/api")));
}

TEST(InitPhases, ADryRunShowsEveryManifest) {
  const workflow::Plan plan = workflow::MakePlan(InitPhases(), {.comes_up = false});
  EXPECT_THAT(WaitsOf(plan, "wait-control-plane/kubelet"),
              IsSupersetOf({"etcd/local", "control-plane/apiserver",
                            "control-plane/controller-manager", "control-plane/scheduler"}));
}

TEST(InitPhases, ControllersStartWithTheKubeletWithoutAWaitForTheApiServer) {
  const workflow::Plan plan = workflow::MakePlan(InitPhases(), {.skip = {"wait-control-plane"}});
  EXPECT_THAT(AllWaitsOf(plan, "control-plane/scheduler"), Contains("kubelet-start"));
}

TEST(InitPhases, JoinCommandNeedsTokenAndCertificatesOfTheSameRun) {
  EXPECT_THROW(workflow::MakePlan(InitPhases(), {.only = "show-join-command"}), base::Error);
  EXPECT_THROW(workflow::MakePlan(InitPhases(), {.skip = {"upload-certs"}}), base::Error);
  EXPECT_NO_THROW(
      workflow::MakePlan(InitPhases(), {.skip = {"bootstrap-token", "show-join-command"}}));
}

TEST(InitPhases, ACertificatePhaseAloneDoesNotReportTheDirectory) {
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
      std::ranges::for_each(parent.children(), visit);  // throws for an unknown flag
    }
  };
  EXPECT_NO_THROW(visit(command));
  EXPECT_GT(commands, 40);
}

}  // namespace
}  // namespace kubeadm
