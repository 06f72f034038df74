// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/join/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kubeadm/join/flags.h"
#include "workflow/bind.h"
#include "workflow/plan.h"

namespace kubeadm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

// Returns all steps that a step waits for, directly or indirectly.
std::vector<std::string> AllWaitsOf(const workflow::Plan& plan, const std::string& path) {
  std::vector<std::string> waits = {path};
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const auto step = std::ranges::find(plan.steps, waits[i], &workflow::Step::path);
    for (const std::size_t index : step->waits_for) {
      waits.push_back(plan.steps[index].path);
    }
  }
  waits.erase(waits.begin());
  return waits;
}

TEST(JoinPhases, HaveNoFlaws) {
  EXPECT_THAT(workflow::Flaws(workflow::Erase(JoinPhases())), IsEmpty());
}

TEST(JoinPhases, NothingIsWrittenBeforeTheChecksAndTheClusterIsTrusted) {
  const workflow::Plan plan = workflow::MakePlan(JoinPhases(), {});
  for (const workflow::Step& step : plan.steps) {
    if (step.path.starts_with("preflight")) {
      continue;
    }
    const std::vector<std::string> waits = AllWaitsOf(plan, step.path);
    EXPECT_THAT(waits, Contains("preflight/checks")) << step.path;
    EXPECT_THAT(waits, Contains("preflight/cluster")) << step.path;
    EXPECT_THAT(waits, Contains("preflight/control-plane")) << step.path;
  }
}

void ExpectThatAllWaitForTheChecks(const std::vector<std::string>& skipped) {
  const workflow::Plan plan = workflow::MakePlan(JoinPhases(), {.skip = skipped});
  for (const workflow::Step& step : plan.steps) {
    if (!step.path.starts_with("preflight")) {
      EXPECT_THAT(AllWaitsOf(plan, step.path), Contains("preflight/control-plane"))
          << step.path << " without " << skipped.front();
    }
  }
}

TEST(JoinPhases, NothingIsWrittenBeforeTheChecksWhateverIsSkipped) {
  for (const JoinPhase& phase : JoinPhases()) {
    if (phase.name != "preflight") {
      ExpectThatAllWaitForTheChecks({phase.name});
    }
    for (const JoinPhase& child : phase.children) {
      if (phase.name != "preflight") {
        ExpectThatAllWaitForTheChecks({phase.name + "/" + child.name});
      }
    }
  }
  ExpectThatAllWaitForTheChecks({"check-etcd", "kubelet-start"});
}

TEST(JoinPhases, WithoutTheWaitForItsCertificateTheNodeIsMarkedAfterEtcdHasJoined) {
  const workflow::Plan plan =
      workflow::MakePlan(JoinPhases(), {.skip = {"kubelet-wait-bootstrap"}});
  EXPECT_THAT(AllWaitsOf(plan, "control-plane-join/mark-control-plane"), Contains("etcd-join"));
}

TEST(JoinPhases, TheClusterIsDiscoveredWhileTheMachineIsChecked) {
  const workflow::Plan plan = workflow::MakePlan(JoinPhases(), {});
  EXPECT_THAT(AllWaitsOf(plan, "preflight/cluster"), IsEmpty());
}

TEST(JoinPhases, EtcdJoinsOnlyAHealthyClusterAndWithAKubeletThatRunsIt) {
  const workflow::Plan plan = workflow::MakePlan(JoinPhases(), {});
  EXPECT_THAT(AllWaitsOf(plan, "etcd-join"), Contains("check-etcd"));
  EXPECT_THAT(AllWaitsOf(plan, "etcd-join"), Contains("kubelet-start"));
}

TEST(JoinPhases, TheNodeIsMarkedWhenItsKubeletHasItsCertificate) {
  const workflow::Plan plan = workflow::MakePlan(JoinPhases(), {});
  const std::string mark = "control-plane-join/mark-control-plane";
  EXPECT_THAT(AllWaitsOf(plan, mark), Contains("kubelet-wait-bootstrap"));
  EXPECT_THAT(AllWaitsOf(plan, mark), Not(Contains("wait-control-plane")));
}

TEST(JoinPhases, EveryFlagThatAPhaseOffersExists) {
  const std::vector<cli::Flag> flags = JoinPhaseFlags();
  const auto exists = [&](const std::string& name) {
    return std::ranges::find(flags, name, &cli::Flag::name) != flags.end();
  };
  for (const JoinPhase& phase : JoinPhases()) {
    for (const std::string& name : phase.flags) {
      EXPECT_TRUE(exists(name)) << phase.name << " --" << name;
    }
    for (const JoinPhase& child : phase.children) {
      for (const std::string& name : child.flags) {
        EXPECT_TRUE(exists(name)) << phase.name << "/" << child.name << " --" << name;
      }
    }
  }
}

}  // namespace
}  // namespace kubeadm
