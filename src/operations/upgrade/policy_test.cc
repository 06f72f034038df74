// SPDX-License-Identifier: Apache-2.0
#include "upgrade/policy.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace upgrade {
namespace {

using checks::Refuse;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

base::Version V(std::string_view text) { return base::Version::Parse(text).value(); }

// A row: the versions of the upgrade, and a word of each expected complaint. --force skips only the
// complaints in `skippable`.
struct Row {
  std::string name;
  std::string wanted;
  std::string server = "v1.35.4";
  std::string kubeadm = "v1.36.3";
  std::vector<control_plane::NodeVersion> kubelets = {};
  Unstable allowed = {};
  std::vector<std::string> mandatory = {};
  std::vector<std::string> skippable = {};
};

PolicyFacts FactsOf(const Row& row) {
  return {.wanted = V(row.wanted),
          .api_server = V(row.server),
          .kubeadm = V(row.kubeadm),
          .kubelets = row.kubelets,
          .allowed = row.allowed};
}

std::vector<std::string> Mandatory(checks::Findings findings) {
  std::erase_if(findings, &checks::Finding::ignorable);
  return checks::WhatOf(findings, checks::Severity::kError);
}
std::vector<std::string> Skippable(checks::Findings findings) {
  std::erase_if(findings, std::not_fn(&checks::Finding::ignorable));
  return checks::WhatOf(findings, checks::Severity::kError);
}

void ExpectComplaints(const std::vector<std::string>& found,
                      const std::vector<std::string>& words) {
  ASSERT_EQ(found.size(), words.size()) << testing::PrintToString(found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_THAT(found[i], HasSubstr(words[i]));
  }
}

class Policy : public testing::TestWithParam<Row> {};

TEST_P(Policy, JudgesAVersion) {
  const checks::Findings findings = JudgeVersion(FactsOf(GetParam()));
  ExpectComplaints(Mandatory(findings), GetParam().mandatory);
  ExpectComplaints(Skippable(findings), GetParam().skippable);
}

const Row kRows[] = {
    {.name = "NextMinor", .wanted = "v1.36.3"},
    {.name = "SamePatch", .wanted = "v1.36.3", .server = "v1.36.3"},
    {.name = "LowerPatch", .wanted = "v1.36.0", .server = "v1.36.3"},
    {.name = "OneMinorDown", .wanted = "v1.35.4", .server = "v1.36.3"},
    {.name = "PatchOfAnOlderMinor", .wanted = "v1.35.6"},
    {.name = "BelowTheOldestSupported",
     .wanted = "v1.33.0",
     .mandatory = {"brings control planes to v1.34 to v1.37",
                   "more than 1 minor version below the cluster's v1.35.4"}},
    {.name = "PreReleaseOfTheOldestSupported",
     .wanted = "v1.34.0-rc.1",
     .mandatory = {"v1.34.0-rc.1 is too old"},
     .skippable = {"not a release"}},
    {.name = "TwoMinorsUp",
     .wanted = "v1.39.0",
     .mandatory = {"above the cluster's v1.35.4; upgrade to v1.36 first",
                   "install kubeadm of v1.39 first"}},
    // This kubeadm knows the minor version as a pre-release, so --force permits later versions.
    {.name = "PreReleaseOfTheNextMinor",
     .wanted = "v1.38.0-beta.0",
     .server = "v1.37.2",
     .allowed = {.experimental = true}},
    {.name = "PreReleaseOfTheNextMinorNotAllowed",
     .wanted = "v1.38.0-beta.0",
     .server = "v1.37.2",
     .skippable = {"not a release"}},
    {.name = "PatchAfterThePreRelease",
     .wanted = "v1.38.1",
     .server = "v1.37.2",
     .mandatory = {"v1.38.1 belongs to a newer minor version"}},
    {.name = "ReleaseAfterThePreRelease",
     .wanted = "v1.38.0",
     .server = "v1.37.2",
     .skippable = {"newer than v1.38.0-beta.0, the newest version of that minor"}},
    {.name = "TwoMinorsUpPreRelease",
     .wanted = "v1.37.0-beta.1",
     .skippable = {"above the cluster's", "install kubeadm of v1.37", "not a release"}},
    {.name = "TwoMinorsDownPreRelease",
     .wanted = "v1.36.0-rc.0",
     .server = "v1.38.2",
     .allowed = {.experimental = true},
     .skippable = {"below the cluster's v1.38.2"}},
    {.name = "NewerPatchThanKubeadm",
     .wanted = "v1.36.9",
     .skippable = {"newer than this kubeadm, v1.36.3"}},
    {.name = "NewerMinorThanKubeadm",
     .wanted = "v1.37.0",
     .server = "v1.36.3",
     .mandatory = {"belongs to a newer minor version"}},
    {.name = "CandidateAllowed", .wanted = "v1.36.3-rc.0", .allowed = {.release_candidates = true}},
    {.name = "CandidateNamesBothFlags",
     .wanted = "v1.36.3-rc.0",
     .skippable = {"--allow-release-candidate-upgrades or --allow-experimental-upgrades"}},
    {.name = "AlphaNeedsExperimental",
     .wanted = "v1.36.0-alpha.2",
     .allowed = {.release_candidates = true},
     .skippable = {"--allow-experimental-upgrades"}},
    {.name = "AlphaAllowed", .wanted = "v1.36.0-alpha.2", .allowed = {.experimental = true}},
    {.name = "KubeletsThreeBehind",
     .wanted = "v1.36.3",
     .kubelets = {{.node = "one", .version = "v1.33.0"}}},
    {.name = "KubeletsTooOld",
     .wanted = "v1.36.3",
     .kubelets = {{.node = "one", .version = "v1.32.9"},
                  {.node = "two", .version = "v1.36.0"},
                  {.node = "three", .version = "v1.31.0-custom"}},
     .skippable = {"one (v1.32.9), three (v1.31.0-custom)"}},
};

INSTANTIATE_TEST_SUITE_P(Rules, Policy, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(PolicyTest, AnUnknownApiServerEndsTheJudgement) {
  PolicyFacts facts = FactsOf({.name = "", .wanted = "v1.30.0"});
  facts.api_server = std::unexpected(std::string("connection refused"));
  const checks::Findings findings = JudgeVersion(facts);
  EXPECT_THAT(Mandatory(findings), ElementsAre(HasSubstr("connection refused")));
  EXPECT_THAT(Skippable(findings), IsEmpty());
}

TEST(Gathering, AsksForTheApiServerAndTheKubelets) {
  kube::FakeApiServer server;
  host::FakeClock clock;
  kube::Client client(server.NewTransport(), clock, {});
  server.SetText("/version", 200, R"({"gitVersion": "v1.35.4"})");
  for (const auto* name : {"b", "a"}) {
    server.Put(kube::resources::kNode,
               {{"metadata", {{"name", name}}},
                {"status", {{"nodeInfo", {{"kubeletVersion", "v1.34." + std::string(name)}}}}}});
  }
  const PolicyFacts facts = CollectPolicyFacts(client, V("v1.36.3"), {.experimental = true});
  EXPECT_EQ(facts.api_server.value().Text(), "1.35.4");
  EXPECT_EQ(facts.kubelets.value(),
            (std::vector<control_plane::NodeVersion>{{.node = "a", .version = "v1.34.a"},
                                                     {.node = "b", .version = "v1.34.b"}}));
  EXPECT_TRUE(facts.allowed.experimental);
}

TEST(Gathering, KeepsTheErrorsOfRefusedQueries) {
  kube::FakeApiServer server;
  host::FakeClock clock;
  kube::Client client(server.NewTransport(), clock, {});
  server.SetText("/version", 200, R"({"gitVersion": "new"})");
  server.Inject({.what = "GET /api/v1/nodes",
                 .status = 403,
                 .reason = "Forbidden",
                 .message = "no nodes for you"});
  const PolicyFacts facts = CollectPolicyFacts(client, V("v1.36.3"), {});
  EXPECT_THAT(facts.api_server.error(), HasSubstr("\"new\""));
  EXPECT_THAT(facts.kubelets.error(), HasSubstr("no nodes for you"));
}

TEST(PolicyTest, UnknownNodesCanBeSkipped) {
  PolicyFacts facts = FactsOf({.name = "", .wanted = "v1.36.3"});
  facts.kubelets = std::unexpected(std::string("forbidden"));
  const checks::Findings findings = JudgeVersion(facts);
  EXPECT_THAT(Mandatory(findings), IsEmpty());
  EXPECT_THAT(Skippable(findings), ElementsAre(HasSubstr("forbidden")));
}

TEST(RequireAllowed, ForceOverridesOnlySomeErrors) {
  const auto refusal = [](const checks::Findings& findings, Force force) -> std::string {
    return base::MessageOf([&] { RequireAllowed(findings, "v1.36.3", force); },
                           base::Error::Kind::kInvalid);
  };
  EXPECT_EQ(refusal({}, Force::kNo), "");
  EXPECT_EQ(refusal({Refuse("too new")}, Force::kYes), "");
  EXPECT_EQ(refusal({Refuse("too new"), Refuse("too far")}, Force::kNo),
            "this cluster should not be upgraded to \"v1.36.3\"; --force upgrades it anyway:\n"
            "\t- too new\n\t- too far\n");
  EXPECT_EQ(refusal({{.what = "too old"}, Refuse("too new")}, Force::kYes),
            "this cluster cannot be upgraded to \"v1.36.3\":\n\t- too old\n");
}

}  // namespace
}  // namespace upgrade
