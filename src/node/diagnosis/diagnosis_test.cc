#include "diagnosis/diagnosis.h"

#include <gmock/gmock.h>

#include "config/fake_facts.h"
#include "cri/fake_runtime.h"
#include "diagnosis/fake_containers.h"
#include "host/fake_host.h"

namespace diagnosis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(Diagnose, BlamesTheCause) {
  struct Case {
    std::string name;
    ControlPlaneFacts facts;
    std::string culprit, evidence, remedy;
    bool certain;
  };
  ControlPlaneFacts external = With({Ended("kube-apiserver", 2, {"Error: odd"})});
  external.external_etcd = true;
  ControlPlaneFacts dead = With({});
  dead.kubelet_problem = "its service is not active";
  ControlPlaneFacts no_runtime = With({});
  no_runtime.runtime_problem = "connection refused";
  for (const Case& c : std::initializer_list<Case>{
           {"a wrong extra argument",
            With({Running("etcd"),
                  Ended("kube-apiserver", 2, {"usage", "Error: unknown flag: --foo", "bye"})}),
            "kube-apiserver", "Error: unknown flag: --foo", "apiServer.extraArgs", true},
           {"the first exit proves nothing",
            With({Running("etcd"), Ended("kube-apiserver", 1, {"unknown flag: --foo"})}),
            "kube-apiserver", "unknown flag: --foo", "apiServer.extraArgs", false},
           {"etcd before what needs it",
            With({Ended("etcd", 3, {"listen tcp: bind: address already in use"}),
                  Ended("kube-apiserver", 5, {"dial: connection refused"})}),
            "etcd", "listen tcp: bind: address already in use", "stop the program", true},
           {"a joining etcd whose other members are away for a while",
            With({Ended("etcd", 2,
                        {"cannot fetch cluster info from peer urls: could not retrieve cluster "
                         "information from the given URLs"})}),
            "etcd",
            "cannot fetch cluster info from peer urls: could not retrieve cluster information from "
            "the given URLs",
            "other members", false},
           {"an API server without etcd may come up later",
            With({Ended("kube-apiserver", 3, {"dial 127.0.0.1:2379: connection refused"})}),
            "kube-apiserver", "dial 127.0.0.1:2379: connection refused", "cannot reach", false},
           {"with its etcd it will not",
            With({Running("etcd"), Ended("kube-apiserver", 2, {"panic"})}), "kube-apiserver",
            "panic", "crictl logs", true},
           {"an external etcd counts as well", external, "kube-apiserver", "Error: odd",
            "crictl logs", true},
           {"a scheduler waits for its API server",
            With({Running("etcd"), Running("kube-apiserver"), Ended("kube-scheduler", 4, {"x"})}),
            "kube-scheduler", "x", "crictl logs", false},
           {"and not longer",
            With({Running("etcd"), Running("kube-apiserver"), Ended("kube-scheduler", 4, {"x"})},
                 {"kube-apiserver"}),
            "kube-scheduler", "x", "crictl logs", true},
           {"memory", With({Running("etcd"), Ended("kube-apiserver", 2, {"x"}, "OOMKilled")}),
            "kube-apiserver", "x", "more memory", true},
           {"the kubelet before doubts", dead, "kubelet", "its service is not active", "journalctl",
            false},
           {"the runtime", no_runtime, "container runtime", "connection refused", "criSocket",
            false}}) {
    const auto diagnosis = Diagnose(c.facts);
    ASSERT_TRUE(diagnosis) << c.name;
    EXPECT_EQ(diagnosis->culprit, c.culprit) << c.name;
    EXPECT_EQ(diagnosis->evidence, c.evidence) << c.name;
    EXPECT_THAT(diagnosis->remedy, HasSubstr(c.remedy)) << c.name;
    EXPECT_EQ(diagnosis->sure == Sureness::kCertain, c.certain) << c.name;
  }
}

TEST(Diagnose, SeesNothingWhereNothingIs) {
  EXPECT_FALSE(Diagnose(With({})));
  EXPECT_FALSE(Diagnose(With({Running("etcd"), Running("kube-apiserver")})));
  EXPECT_FALSE(Diagnose(With({Ended("kube-apiserver", 3)}, {"kube-apiserver"})));
}

TEST(JudgeContainers, BlamesAllThatFailInTheOrderOfTheirNeeds) {
  const std::vector<Finding> findings = JudgeContainers(With(
      {Ended("kube-scheduler", 1, {"x"}), Ended("etcd", 3, {"no space left on device"}),
       Ended("kube-apiserver", 2, {"connection refused"}), Ended("kube-controller-manager", 9)},
      {"kube-controller-manager"}));
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].culprit, "etcd");
  EXPECT_EQ(findings[0].sure, Sureness::kCertain);
  EXPECT_EQ(findings[1].culprit, "kube-apiserver");
  EXPECT_EQ(findings[1].sure, Sureness::kLikely);
  EXPECT_EQ(findings[2].culprit, "kube-scheduler");
}

TEST(Finding, IsWholeText) {
  const auto diagnosis =
      Diagnose(With({Running("etcd"), Ended("kube-apiserver", 2, {"unknown flag: --foo"})}));
  EXPECT_EQ(diagnosis->Text(),
            "kube-apiserver has exited 2 times, last with code 1\n"
            "\tevidence: unknown flag: --foo\n"
            "\tremedy: remove the argument that kube-apiserver does not know from "
            "apiServer.extraArgs");
}

TEST(Remedy, IsNoneForUnknownLines) { EXPECT_FALSE(RemedyFor("etcd", "all is well")); }

TEST(LastLogLines, AreTheMessages) {
  EXPECT_THAT(LastLogLines("2026-01-01T00:00:00Z stderr F one\n"
                           "2026-01-01T00:00:00Z stderr F two words\n"
                           "2026-01-01T00:00:00Z stdout F \n"
                           "2026-01-01T00:00:00Z stdout F three\n",
                           2),
              ElementsAre("two words", "three"));
  EXPECT_THAT(LastLogLines("", 3), ElementsAre());
  std::string log;
  for (int i = 0; i < 3'000; ++i) {
    log += "t stderr F line" + std::to_string(i) + "\n";
  }
  EXPECT_THAT(LastLogLines(log, 1), ElementsAre("line2999"));
  EXPECT_LT(LastLogLines(log, 5'000).size(), 3'000U);
}

using State = cri::Container::State;
constexpr std::chrono::sys_seconds kStart{1'000s};

cri::Container Exited(const std::string& name, unsigned attempt, int exit_code,
                      std::chrono::seconds after_start = 1s) {
  return {.id = name + std::to_string(attempt),
          .sandbox_id = "1",
          .name = name,
          .attempt = attempt,
          .state = State::kExited,
          .exit_code = exit_code,
          .reason = exit_code == 0 ? "Completed" : "Error",
          .log_path = "/none",
          .finished = kStart + after_start};
}

cri::Container Started(const std::string& name, unsigned attempt) {
  return {
      .id = name, .sandbox_id = "1", .name = name, .attempt = attempt, .state = State::kRunning};
}

TEST(GatherFacts, TellsHowAContainerFailedLast) {
  host::FakeHost fake;
  fake.files.Write("/var/log/1.log", "t stderr F Error: unknown flag: --x\n", {});
  cri::FakeRuntime runtime;
  cri::Container last = Exited("kube-apiserver", 1, 3, 2s);
  last.log_path = "/var/log/1.log";
  runtime.containers = {Started("kube-apiserver", 2), last, Exited("kube-apiserver", 0, 1),
                        Exited("etcd", 0, 2), Exited("coredns", 0, 1)};
  const ControlPlaneFacts facts = GatherFacts({.host = fake.host, .runtime = &runtime});
  ASSERT_EQ(facts.containers.size(), 2U);
  const ContainerFact& api_server = facts.containers.at("kube-apiserver");
  EXPECT_TRUE(api_server.running);
  EXPECT_EQ(api_server.exits, 2U);
  EXPECT_EQ(api_server.exit_code, 3);
  EXPECT_THAT(api_server.last_lines, ElementsAre("Error: unknown flag: --x"));
  EXPECT_EQ(facts.containers.at("etcd").exits, 1U);
  EXPECT_FALSE(facts.containers.at("etcd").running);
}

TEST(GatherFacts, CountsOnlyWhatFailedOfItselfInThisRun) {
  cri::Container out_of_memory = Exited("etcd", 0, 137);
  out_of_memory.reason = "OOMKilled";
  struct Case {
    std::string name;
    std::vector<cri::Container> containers;
    unsigned exits;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"attempts that an earlier Pod's logs were counted to", {Started("etcd", 4)}, 0},
           {"attempts and one stop by this program", {Exited("etcd", 2, 0), Started("etcd", 3)}, 0},
           {"one failure of a Pod whose attempts began at three", {Exited("etcd", 3, 1)}, 1},
           {"two failures", {Exited("etcd", 3, 1), Exited("etcd", 4, 1)}, 2},
           {"stopped and ended well", {Exited("etcd", 0, 0), Exited("etcd", 1, 0)}, 0},
           {"stopped by SIGTERM", {Exited("etcd", 0, 143), Exited("etcd", 1, 143)}, 0},
           {"killed, as after a failed probe", {Exited("etcd", 0, 137), Exited("etcd", 1, 137)}, 0},
           {"killed by want of memory", {out_of_memory}, 1},
           {"failures of the run before",
            {Exited("etcd", 0, 1, -1s), Exited("etcd", 1, 1, -2s)},
            0},
           {"one before, one now", {Exited("etcd", 5, 1, -1s), Exited("etcd", 6, 1)}, 1}}) {
    host::FakeHost fake;
    cri::FakeRuntime runtime;
    runtime.containers = c.containers;
    const ControlPlaneFacts facts =
        GatherFacts({.host = fake.host, .runtime = &runtime, .since = kStart});
    const auto etcd = facts.containers.find("etcd");
    EXPECT_EQ(etcd == facts.containers.end() ? 0U : etcd->second.exits, c.exits) << c.name;
  }
}

TEST(FailureMemory, CountsWhatTheKubeletHasRemovedSince) {
  FailureMemory failures;
  const auto look = [&](const std::string& id) {
    ContainerFact fact = Ended("etcd", 1, {"no space left on device"});
    fact.failed = {id};  // one at a time is there to be seen
    ControlPlaneFacts facts = With({fact});
    failures.AddTo(facts);
    return facts.containers.at("etcd").exits;
  };
  EXPECT_EQ(look("first"), 1U);
  EXPECT_EQ(look("first"), 1U) << "the same container is one failure, however often it is seen";
  EXPECT_EQ(look("second"), 2U);
  EXPECT_EQ(look("third"), 3U);
}

TEST(FailureMemory, BlamesNobodyForWhatIsNoLongerThere) {
  FailureMemory failures;
  ContainerFact failed = Ended("etcd", 2, {"no space left on device"});
  failed.failed = {"first", "second"};
  ControlPlaneFacts facts = With({failed});
  failures.AddTo(facts);
  ControlPlaneFacts later = With({Running("etcd")});
  failures.AddTo(later);
  EXPECT_EQ(later.containers.at("etcd").exits, 0U);
  EXPECT_FALSE(Diagnose(later));
  ControlPlaneFacts other = With({Ended("kube-scheduler", 1, {})});
  failures.AddTo(other);
  EXPECT_EQ(other.containers.at("kube-scheduler").exits, 1U) << "each component has its own count";
}

}  // namespace
}  // namespace diagnosis
