// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/steps.h"

#include <gmock/gmock.h>

namespace ca_rotation {
namespace {

using enum components::Component;
using testing::ElementsAre;
using testing::IsEmpty;

const StepRow& Row(std::string_view authority, Step step) {
  return RowOf(*std::ranges::find(Authorities(), authority, &Authority::name), step);
}

TEST(StepRows, HaveEveryStepOfEveryAuthority) {
  EXPECT_EQ(StepRows().size(), Authorities().size() * kSteps.size());
  for (const Authority& authority : Authorities()) {
    for (const Step step : kSteps) {
      EXPECT_EQ(RowOf(authority, step).authority, authority.name);
      EXPECT_EQ(RowOf(authority, step).step, step);
    }
  }
}

// Checks the restarts of each step against the components' behavior. The controller manager refuses
// a file with two certificates. The scheduler reads its CA only when it starts. The API server
// reloads all files except its serving certificate's chain.
TEST(StepRows, RestartsReadersOfTheAuthorityAtEachStep) {
  for (const Step step : kSteps) {
    EXPECT_THAT(Row("kubernetes", step).restarts.components,
                testing::IsSupersetOf({kControllerManager, kScheduler}));
    EXPECT_TRUE(Row("kubernetes", step).restarts.kubelet);
    EXPECT_TRUE(Row("kubernetes", step).publishes);
  }
  EXPECT_THAT(Row("kubernetes", Step::kReissue).restarts.components,
              ElementsAre(kApiServer, kControllerManager, kScheduler));
}

TEST(StepRows, OnlyTheKubernetesAuthorityConcernsKubelets) {
  for (const StepRow& row : StepRows()) {
    EXPECT_EQ(row.restarts.kubelet, row.authority == "kubernetes") << row.authority;
    EXPECT_EQ(row.reissues_kubelet, row.authority == "kubernetes" && row.step == Step::kReissue);
  }
}

TEST(StepRows, EtcdMustBeHealthyWheneverItIsRestarted) {
  for (const StepRow& row : StepRows()) {
    const auto& components = row.restarts.components;
    const bool restarts = std::ranges::find(components, kEtcd) != components.end();
    EXPECT_EQ(restarts, row.precondition == Precondition::kEtcdIsHealthy) << row.authority;
  }
}

TEST(StepRows, WaitsForFilesThatAreReloaded) {
  EXPECT_EQ(Row("etcd", Step::kReissue).reload, Reload::kEtcdShows);
  EXPECT_THAT(Row("etcd", Step::kReissue).restarts.components, IsEmpty());
  EXPECT_EQ(Row("front-proxy", Step::kTrust).reload, Reload::kApiTrusts);
  EXPECT_EQ(Row("front-proxy", Step::kDrop).reload, Reload::kApiDistrusts);
  EXPECT_EQ(Row("kubernetes", Step::kDrop).reload, Reload::kApiDistrusts);
  for (const Step step : kSteps) {
    EXPECT_EQ(Row("sa", step).reload, Reload::kNothing);
  }
}

TEST(StepRows, RemoveTheOldAuthorityThatApiServersKeep) {
  for (const StepRow& row : StepRows()) {
    const bool kept = row.authority == "kubernetes" || row.authority == "front-proxy";
    EXPECT_EQ(row.forgets, kept && row.step == Step::kDrop) << row.authority;
  }
}

}  // namespace
}  // namespace ca_rotation
