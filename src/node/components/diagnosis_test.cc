// SPDX-License-Identifier: Apache-2.0
#include "components/diagnosis.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "components/fake_containers.h"
#include "json/value.h"
#include "yaml/yaml.h"

namespace components {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

json::Value Histories() {
  std::ifstream file(TESTDATA_DIR "/histories.yaml");
  std::stringstream text;
  text << file.rdbuf();
  return yaml::Parse(text.str()).value;
}

ContainerFact FactOf(const json::Value& container) {
  ContainerFact fact{.name = container.at("name"), .running = container.value("running", false)};
  if (container.contains("mounts")) {
    fact.mounts = container.at("mounts").get<std::vector<std::string>>();
  }
  for (const json::Value& failure : container.value("failures", json::Value::array())) {
    fact.failures.push_back({.id = std::to_string(fact.failures.size()),
                             .exit_code = failure.at("exit_code"),
                             .reason = failure.value("reason", "Error"),
                             .last_lines = failure.at("lines")});
  }
  return fact;
}

ControlPlaneFacts FactsOf(const json::Value& history) {
  std::vector<ContainerFact> containers;
  for (const json::Value& container : history.at("containers")) {
    containers.push_back(FactOf(container));
  }
  ControlPlaneFacts facts = With(containers, history.value("healthy", json::Value::array()));
  facts.disk_full = history.value("disk_full", false);
  return facts;
}

TEST(Diagnose, IsCertainOnlyForPermanentFailures) {
  const json::Value histories = Histories();
  ASSERT_THAT(histories, SizeIs(testing::Ge(50U)));
  for (const json::Value& history : histories) {
    const std::string name = history.at("name");
    const auto diagnosis = Diagnose(FactsOf(history));
    if (history.at("culprit") == "") {
      EXPECT_FALSE(diagnosis) << name;
      continue;
    }
    ASSERT_TRUE(diagnosis) << name;
    EXPECT_EQ(diagnosis->subject, json::TextAt(history, {"culprit"})) << name;
    EXPECT_EQ(Name(diagnosis->sure), json::TextAt(history, {"sure"})) << name << "\n"
                                                                      << diagnosis->Text();
    EXPECT_FALSE(diagnosis->remedy.empty()) << name;
    EXPECT_THAT(diagnosis->remedy, HasSubstr(json::TextAt(history, {"remedy"}))) << name;
  }
}

TEST(Diagnose, ReportsTheLastMessageAndARemedy) {
  struct Case {
    std::string name;
    std::vector<std::string> lines;
    std::string evidence, remedy;
  };
  for (
      const Case& c : std::initializer_list<Case>{
          {"an argument",
           {"usage", "Error: unknown flag: --foo", "bye"},
           "Error: unknown flag: --foo",
           "etcd.local.extraArgs"},
          {"etcd's JSON",
           {R"({"level":"fatal","msg":"listener failed","error":"open /x: no such file or directory"})"},
           "listener failed: open /x: no such file or directory",
           "etcd.local.extraVolumes"},
          {"Go's panic says less than etcd's own",
           {R"({"level":"panic","msg":"failed to create WAL","error":"no space left on device"})",
            "panic: failed to create WAL", "goroutine 1 [running]:"},
           "failed to create WAL: no space left on device",
           "room on the disk"},
          {"a warning, when nothing better is there",
           {"W dial tcp: connect: connection refused", "I stopping"},
           "W dial tcp: connect: connection refused",
           "cannot reach"},
          {"words that nobody knows",
           {"1", "2", "3", "4", "5", "6"},
           "2\n3\n4\n5\n6",
           "crictl logs"}}) {
    const auto diagnosis = Diagnose(With({Ended("etcd", 1, c.lines)}));
    ASSERT_TRUE(diagnosis) << c.name;
    EXPECT_EQ(diagnosis->evidence, c.evidence) << c.name;
    EXPECT_THAT(diagnosis->remedy, HasSubstr(c.remedy)) << c.name;
  }
}

TEST(Diagnose, DoesNotReportAWarningAsTheReason) {
  const auto diagnosis = Diagnose(
      With({Running("etcd"), Ended("kube-apiserver", 2, {"W unknown flag: --foo is ignored"})}));
  ASSERT_TRUE(diagnosis);
  EXPECT_EQ(diagnosis->sure, checks::Confidence::kLikely);
}

TEST(Diagnose, BlamesCommonDependenciesBeforeLikelyCauses) {
  ControlPlaneFacts facts = With({Ended("etcd", 1, {"odd"})});
  facts.runtime_problem = "connection refused";
  EXPECT_EQ(Diagnose(facts)->subject, "container runtime");
  facts.kubelet_problem = "its service is not active";
  EXPECT_EQ(Diagnose(facts)->subject, "kubelet");
  EXPECT_EQ(Diagnose(facts)->sure, checks::Confidence::kLikely);
  facts.containers["etcd"] = Ended("etcd", 2, {"Error: unknown flag: --foo"});
  EXPECT_EQ(Diagnose(facts)->subject, "etcd");
}

TEST(Diagnose, FindsNothingWithoutContainers) {
  EXPECT_FALSE(Diagnose(With({})));
  EXPECT_FALSE(Diagnose(With({Running("etcd"), Running("kube-apiserver")})));
  EXPECT_FALSE(Diagnose(With({Ended("kube-apiserver", 3)}, {"kube-apiserver"})));
}

TEST(JudgeContainers, ListsFailedComponentsInDependencyOrder) {
  const checks::Findings findings = JudgeContainers(With(
      {Ended("kube-scheduler", 1, {"x"}), Ended("etcd", 3, {"flag provided but not defined: -x"}),
       Ended("kube-apiserver", 2, {"Error: connection refused"}),
       Ended("kube-controller-manager", 9)},
      {"kube-controller-manager"}));
  ASSERT_THAT(findings, SizeIs(3));
  EXPECT_EQ(findings[0].subject, "etcd");
  EXPECT_EQ(findings[0].sure, checks::Confidence::kCertain);
  EXPECT_EQ(findings[1].subject, "kube-apiserver");
  EXPECT_EQ(findings[1].sure, checks::Confidence::kLikely);
  EXPECT_EQ(findings[2].subject, "kube-scheduler");
}

TEST(Finding, HasEvidenceAndRemedy) {
  const auto diagnosis =
      Diagnose(With({Running("etcd"), Ended("kube-apiserver", 2, {"Error: unknown flag: --foo"})}));
  EXPECT_EQ(diagnosis->Text(),
            "kube-apiserver has exited 2 times, last with code 1\n"
            "\tevidence: Error: unknown flag: --foo\n"
            "\tremedy: remove the argument that kube-apiserver does not know from "
            "apiServer.extraArgs");
}

TEST(Finding, NamesALackOfMemory) {
  const auto diagnosis = Diagnose(With({Ended("kube-apiserver", 2, {"x"}, "OOMKilled")}));
  EXPECT_THAT(diagnosis->what, HasSubstr("out of memory"));
  EXPECT_THAT(diagnosis->remedy, HasSubstr("more memory"));
}

}  // namespace
}  // namespace components
