// SPDX-License-Identifier: Apache-2.0
#include "machine_update/rules.h"

#include <gmock/gmock.h>

#include "patch/patch.h"

namespace machine_update {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const UpdateScope kControlPlane{.control_plane = true, .upgrades_kubelets = true};
const UpdateScope kWorker{.upgrades_kubelets = true, .cluster_version = "v1.37.2"};

json::Value Argument(const char* value) {
  return json::Value::array({{{"name", "v"}, {"value", value}}});
}

UpdateSpecs Specs(const char* version, json::Value cluster = json::Value::object()) {
  return {.machine = {{"clusterName", "c"}, {"version", version}},
          .config = {{"clusterConfiguration", std::move(cluster)}, {"format", "cloud-config"}}};
}

// Applies the patches, as Cluster API does.
UpdateSpecs Patched(const UpdateSpecs& current, const UpdatePatches& patches) {
  UpdateSpecs patched = current;
  if (!patches.machine.is_null()) {
    patched.machine = patch::ApplyMergePatch(current.machine, patches.machine);
  }
  if (!patches.config.is_null()) {
    patched.config = patch::ApplyMergePatch(current.config, patches.config);
  }
  return patched;
}

struct VersionCase {
  const char* from;
  const char* to;
  UpdateScope scope;
  const char* problem;  // a part of it; "": none
};

TEST(CheckVersion, AllowsWhatKubeadmUpgradesInOneStep) {
  const UpdateScope no_kubelets{.control_plane = true};
  const UpdateScope unknown{.upgrades_kubelets = true};
  const VersionCase cases[] = {
      {"v1.36.3", "v1.37.2", kControlPlane, ""},
      {"v1.36.1", "v1.36.3", kControlPlane, ""},
      {"v1.37.2", "v1.37.2", kControlPlane, ""},
      {"v1.37.2", "v1.37.2", no_kubelets, ""},
      {"v1.36.3", "v1.37.2", no_kubelets, "neither --kubelet-image nor --kubelet-command"},
      {"v1.35.3", "v1.37.2", kControlPlane, "not upgraded to v1.37.2 in one step"},
      {"v1.37.2", "v1.36.3", kControlPlane, "is older than v1.37.2"},
      {"v1.37.2", "v1.37.1", kControlPlane, "is older than v1.37.2"},
      {"v1.98.0", "v1.99.0", kControlPlane, "v1.99.0 is unknown"},
      {"", "v1.37.2", kControlPlane, "must be versions"},
      {"1.36.3", "v1.37.2", kControlPlane, "must be versions"},
      {"v1.36.3", "latest", kControlPlane, "must be versions"},
      {"v1.36.3", "v1.37.2", kWorker, ""},
      {"v1.34.3", "v1.37.2", kWorker, ""},
      {"v1.35.3", "v1.36.3", kWorker, "older than the cluster's version v1.37.2"},
      {"v1.36.3", "v1.37.2", unknown, "the version of the cluster is unknown"},
  };
  for (const VersionCase& each : cases) {
    const std::string problem = CheckVersion(each.from, each.to, each.scope);
    SCOPED_TRACE(std::string(each.from) + " to " + each.to + ": " + problem);
    EXPECT_THAT(problem, HasSubstr(each.problem));
    EXPECT_EQ(problem.empty(), std::string(each.problem).empty());
  }
}

struct PatchCase {
  const char* name;
  json::Value current;
  json::Value desired;
  bool covered;
};

TEST(PlanPatches, CoverTheArgumentsOfTheControlPlane) {
  const json::Value volumes = json::Value::array(
      {{{"name", "audit"}, {"hostPath", "/var/log"}, {"mountPath", "/var/log"}}});
  const json::Value empty = json::Value::object();
  const PatchCase cases[] = {
      {"added argument", empty, {{"apiServer", {{"extraArgs", Argument("4")}}}}, true},
      {"changed argument",
       {{"apiServer", {{"extraArgs", Argument("2")}}}},
       {{"apiServer", {{"extraArgs", Argument("4")}}}},
       true},
      {"removed argument",
       {{"apiServer", {{"extraArgs", Argument("2")}, {"certSANs", {"a"}}}}},
       {{"apiServer", {{"certSANs", {"a"}}}}},
       true},
      {"removed component", {{"scheduler", {{"extraArgs", Argument("2")}}}}, empty, true},
      {"empty component that stays",
       {{"scheduler", {{"extraArgs", Argument("2")}}}},
       {{"scheduler", empty}},
       true},
      {"variables",
       empty,
       {{"controllerManager", {{"extraEnvs", Argument("4")}}},
        {"scheduler", {{"extraEnvs", Argument("4")}}}},
       true},
      {"volumes", empty, {{"apiServer", {{"extraVolumes", volumes}}}}, true},
      {"names of a certificate", empty, {{"apiServer", {{"certSANs", {"a"}}}}}, false},
      {"etcd", empty, {{"etcd", {{"local", {{"extraArgs", Argument("4")}}}}}}, false},
      {"images", empty, {{"imageRepository", "registry.example.com"}}, false},
      {"feature gate", empty, {{"featureGates", {{"NodeLocalCRISocket", true}}}}, false},
      {"argument and another field",
       empty,
       {{"apiServer", {{"extraArgs", Argument("4")}}}, {"imageRepository", "r"}},
       false},
      {"malformed component", {{"apiServer", "x"}}, {{"apiServer", {{"extraArgs", 1}}}}, false},
  };
  for (const PatchCase& each : cases) {
    SCOPED_TRACE(each.name);
    const UpdateSpecs current = Specs("v1.37.2", each.current);
    const UpdateSpecs desired = Specs("v1.37.2", each.desired);
    const UpdateSpecs patched = Patched(current, PlanPatches(current, desired, kControlPlane));
    EXPECT_EQ(patched.config == desired.config, each.covered) << patched.config;
    EXPECT_EQ(patched.machine, desired.machine);
  }
}

TEST(PlanPatches, RemoveAConfigurationThatIsNotDesiredAnyMore) {
  UpdateSpecs current = Specs("v1.37.2", {{"scheduler", {{"extraArgs", Argument("2")}}}});
  UpdateSpecs desired = Specs("v1.37.2");
  desired.config.erase("clusterConfiguration");
  EXPECT_EQ(Patched(current, PlanPatches(current, desired, kControlPlane)).config, desired.config);
}

TEST(PlanPatches, CoverAVersionAndArgumentsTogether) {
  const UpdateSpecs current = Specs("v1.36.3");
  const UpdateSpecs desired = Specs("v1.37.2", {{"apiServer", {{"extraArgs", Argument("4")}}}});
  const UpdatePatches patches = PlanPatches(current, desired, kControlPlane);
  EXPECT_EQ(patches.machine, json::Value({{"version", "v1.37.2"}}));
  EXPECT_EQ(Patched(current, patches).config, desired.config);
}

TEST(PlanPatches, RemoveTheFeatureGateThatAnUpgradeEnds) {
  const json::Value gate = {{"featureGates", {{"ControlPlaneKubeletLocalMode", true}}}};
  const UpdateSpecs old_version = Specs("v1.35.3", gate);
  const UpdateSpecs new_version = Specs("v1.36.3");
  EXPECT_EQ(Patched(old_version, PlanPatches(old_version, new_version, kControlPlane)).config,
            new_version.config);
  EXPECT_TRUE(PlanPatches(old_version, Specs("v1.35.3"), kControlPlane).config.is_null())
      << "the same version";
  EXPECT_TRUE(PlanPatches(new_version, Specs("v1.37.2", gate), kControlPlane).config.is_null())
      << "an added gate";
}

TEST(PlanPatches, LeaveOtherFieldsOfTheMachine) {
  const UpdateSpecs current = Specs("v1.36.3");
  UpdateSpecs desired = Specs("v1.37.2");
  desired.machine["failureDomain"] = "b";
  EXPECT_EQ(PlanPatches(current, desired, kControlPlane).machine,
            json::Value({{"version", "v1.37.2"}}));
}

TEST(PlanPatches, LeaveAVersionThatIsNotUpgradedInPlace) {
  EXPECT_TRUE(PlanPatches(Specs("v1.35.3"), Specs("v1.37.2"), kControlPlane).machine.is_null());
  EXPECT_TRUE(PlanPatches(Specs("v1.37.2"), Specs("v1.37.2"), kControlPlane).machine.is_null());
}

TEST(PlanPatches, LeaveTheConfigurationOfWorkers) {
  const UpdatePatches patches = PlanPatches(
      Specs("v1.36.3"), Specs("v1.37.2", {{"apiServer", {{"extraArgs", Argument("4")}}}}), kWorker);
  EXPECT_FALSE(patches.machine.is_null());
  EXPECT_TRUE(patches.config.is_null());
}

TEST(RuledValues, ListsTheFieldsOfTheRulesByTheirPaths) {
  EXPECT_EQ(RuledValues({{"clusterConfiguration",
                          {{"apiServer", {{"extraArgs", Argument("4")}, {"certSANs", {"a"}}}}}}}),
            json::Value({{"clusterConfiguration.apiServer.extraArgs", Argument("4")}}));
  EXPECT_THAT(RuledValues(nullptr), IsEmpty());
}

}  // namespace
}  // namespace machine_update
