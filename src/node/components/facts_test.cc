// SPDX-License-Identifier: Apache-2.0
#include "components/facts.h"

#include <gmock/gmock.h>

#include "components/fake_containers.h"
#include "components/table.h"
#include "cri/fake_runtime.h"
#include "host/fake_host.h"

namespace components {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

TEST(LastLogLines, ReturnTheMessagesWithoutTimestamps) {
  EXPECT_THAT(LastLogLines("2026-01-01T00:00:00Z stderr F one\n"
                           "2026-01-01T00:00:00Z stderr F two words\n"
                           "2026-01-01T00:00:00Z stdout F \n"
                           "2026-01-01T00:00:00Z stdout F three\n",
                           2),
              ElementsAre("two words", "three"));
  EXPECT_THAT(LastLogLines("", 3), ElementsAre());
  std::string log;
  for (int i = 0; i < 30'000; ++i) {
    log += "t stderr F line" + std::to_string(i) + "\n";
  }
  EXPECT_THAT(LastLogLines(log, 1), ElementsAre("line29999"));
  EXPECT_LT(LastLogLines(log, 50'000).size(), 30'000U);
}

using State = cri::Container::State;
constexpr std::chrono::sys_seconds kStart{1'000s};
constexpr std::chrono::seconds kNextCentury = 150 * std::chrono::years(1);

cri::Container Exited(const std::string& name, unsigned attempt, int exit_code,
                      std::chrono::seconds after_start = 1s) {
  return {.id = name + std::to_string(attempt),
          .name = name,
          .attempt = attempt,
          .state = State::kExited,
          .exit_code = exit_code,
          .reason = exit_code == 0 ? "Completed" : "Error",
          .log_path = "/none",
          .finished = kStart + after_start};
}

cri::Container Started(const std::string& name, unsigned attempt) {
  return {.id = name, .name = name, .attempt = attempt, .state = State::kRunning};
}

TEST(CollectFacts, ReportsTheLastFailureOfAContainer) {
  host::FakeHost fake;
  fake.files.Write("/var/log/1.log", "t stderr F Error: unknown flag: --x\n", {});
  cri::FakeRuntime runtime;
  cri::Container last = Exited("kube-apiserver", 1, 3, 2s);
  last.log_path = "/var/log/1.log";
  runtime.containers = {Started("kube-apiserver", 2), last, Exited("kube-apiserver", 0, 1),
                        Exited("etcd", 0, 2), Exited("coredns", 0, 1)};
  const ControlPlaneFacts facts = CollectFacts({.host = fake.host, .runtime = &runtime});
  ASSERT_EQ(facts.containers.size(), 2U);
  const ContainerFact& api_server = facts.containers.at("kube-apiserver");
  EXPECT_TRUE(api_server.running);
  ASSERT_THAT(api_server.failures, SizeIs(2));
  EXPECT_EQ(api_server.failures.back().exit_code, 3);
  EXPECT_THAT(api_server.failures.back().last_lines, ElementsAre("Error: unknown flag: --x"));
  EXPECT_THAT(facts.containers.at("etcd").failures, SizeIs(1));
  EXPECT_FALSE(facts.containers.at("etcd").running);
}

TEST(CollectFacts, CountsOnlyFailuresOfThisRun) {
  cri::Container out_of_memory = Exited("etcd", 0, 137);
  out_of_memory.reason = "OOMKilled";
  struct Case {
    std::string name;
    std::vector<cri::Container> containers;
    std::size_t failures;
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
           {"failures from before the clock was set back",
            {Exited("etcd", 0, 1, kNextCentury), Exited("etcd", 1, 1, kNextCentury)},
            0},
           {"one before, one now", {Exited("etcd", 5, 1, -1s), Exited("etcd", 6, 1)}, 1}}) {
    host::FakeHost fake;
    cri::FakeRuntime runtime;
    runtime.containers = c.containers;
    const ControlPlaneFacts facts =
        CollectFacts({.host = fake.host, .runtime = &runtime, .since = kStart});
    const auto etcd = facts.containers.find("etcd");
    EXPECT_EQ(etcd == facts.containers.end() ? 0U : etcd->second.failures.size(), c.failures)
        << c.name;
  }
}

TEST(CollectFacts, CountsNoContainerOfTheSameNameInAnotherPod) {
  host::FakeHost fake;
  cri::FakeRuntime runtime;
  runtime.containers = {Exited("etcd", 0, 1), Exited("etcd", 1, 1)};
  runtime.sandboxes = {{.id = "pod-of-etcd", .name = "hosted", .name_space = "tenants"}};
  EXPECT_THAT(CollectFacts({.host = fake.host, .runtime = &runtime}).containers, IsEmpty());
}

TEST(CollectFacts, DistinguishesAnEtcdTerminatedAtItsStartFromAPanic) {
  host::FakeHost fake;
  cri::FakeRuntime runtime;
  cri::Container etcd = Exited("etcd", 0, 2);
  etcd.log_path = "/var/log/etcd.log";
  runtime.containers = {etcd};
  const auto failures = [&](const std::string& end) {
    fake.files.Write(etcd.log_path, "t stderr F {\"level\":\"info\",\"msg\":\"starting\"}\n" + end,
                     {});
    return CollectFacts({.host = fake.host, .runtime = &runtime}).containers.at("etcd").failures;
  };
  EXPECT_THAT(failures(""), IsEmpty());
  EXPECT_THAT(failures("t stderr F {\"level\":\"warn\",\"msg\":\"closed\"}\n"), IsEmpty());
  EXPECT_THAT(failures("t stderr F panic: tocommit(9) is out of range\n"), SizeIs(1));
  EXPECT_THAT(failures("t stderr F {\"level\":\"fatal\",\"msg\":\"no\"}\n"), SizeIs(1));
  EXPECT_THAT(failures("t stderr F flag provided but not defined: -no\nt stderr F Usage:\n"),
              SizeIs(1));
}

TEST(CollectFacts, CountsFromTheTimeOfTheManifest) {
  host::FakeHost fake;
  const std::filesystem::path manifest =
      components::ManifestPath(components::Component::kApiServer);
  fake.files.Write(manifest, "kind: Pod\n", {});
  const auto written = fake.files.Stat(manifest)->modified;
  cri::FakeRuntime runtime;
  const auto failed = [&](const std::string& name, std::chrono::seconds after_manifest) {
    cri::Container container = Exited(name, 0, 1);
    container.finished = written + after_manifest;
    return container;
  };
  const auto failures = [&](const std::string& name) {
    const ControlPlaneFacts facts = CollectFacts(
        {.host = fake.host, .runtime = &runtime, .since = written - std::chrono::minutes(5)});
    const auto found = facts.containers.find(name);
    return found == facts.containers.end() ? 0 : found->second.failures.size();
  };
  fake.clock.Set(written + std::chrono::minutes(1));
  runtime.containers = {failed("kube-apiserver", -2s), failed("kube-apiserver", -1s),
                        failed("kube-apiserver", 1s), failed("etcd", -1s)};
  EXPECT_EQ(failures("kube-apiserver"), 1U);
  EXPECT_EQ(failures("etcd"), 1U) << "each has its own manifest";
  // The clock was set back after the manifest was written, so its time is meaningless.
  fake.clock.Set(written - 1s);
  runtime.containers = {failed("kube-apiserver", -3s), failed("kube-apiserver", -2s)};
  EXPECT_EQ(failures("kube-apiserver"), 2U);
}

TEST(FailureMemory, CountsFailuresOfRemovedContainers) {
  FailureMemory failures;
  const auto look = [&](const std::string& id) {
    ContainerFact fact = Ended("etcd", 1, {"Error: " + id});
    fact.failures[0].id = id;  // only one at a time is visible
    ControlPlaneFacts facts = With({fact});
    failures.AddTo(facts);
    return facts.containers.at("etcd").failures;
  };
  EXPECT_THAT(look("first"), SizeIs(1));
  EXPECT_THAT(look("first"), SizeIs(1))
      << "the same container is one failure, however often it is seen";
  EXPECT_THAT(look("second"), SizeIs(2));
  const std::vector<Failure> all = look("third");
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_THAT(all.front().last_lines, ElementsAre("Error: first"));
}

TEST(CollectFacts, ReportsTheMountsOfTheManifest) {
  using Mounts = std::optional<std::vector<std::string>>;
  struct Case {
    std::string name, manifest;
    Mounts mounts;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"no manifest", "", std::nullopt},
           {"no manifest's text", "{", std::nullopt},
           {"another container's", "spec: {containers: [{name: other}]}", std::nullopt},
           {"none", "spec: {containers: [{name: etcd}]}", Mounts(std::in_place)},
           {"two",
            "spec: {containers: [{name: other, volumeMounts: [{mountPath: /c}]}, "
            "{name: etcd, volumeMounts: [{mountPath: /a, name: x}, {mountPath: /b}]}]}",
            Mounts({"/a", "/b"})}}) {
    host::FakeHost fake;
    cri::FakeRuntime runtime;
    runtime.containers = {Exited("etcd", 0, 1, std::chrono::hours(1'000'000))};
    fake.clock.Set(runtime.containers[0].finished);
    fake.files.Write(components::ManifestPath(components::Component::kEtcd), c.manifest, {});
    const ControlPlaneFacts facts = CollectFacts({.host = fake.host, .runtime = &runtime});
    EXPECT_EQ(facts.containers.at("etcd").mounts, c.mounts) << c.name;
  }
}

TEST(FailureMemory, HasNoFailureForARunningContainer) {
  FailureMemory failures;
  ControlPlaneFacts facts = With({Ended("etcd", 2, {"no space left on device"})});
  failures.AddTo(facts);
  ControlPlaneFacts later = With({Running("etcd")});
  failures.AddTo(later);
  EXPECT_THAT(later.containers.at("etcd").failures, IsEmpty());
  ControlPlaneFacts other = With({Ended("kube-scheduler", 1, {})});
  failures.AddTo(other);
  EXPECT_THAT(other.containers.at("kube-scheduler").failures, SizeIs(1))
      << "each component has its own";
}

TEST(CollectFacts, ReportsAFullDiskOnlyWithoutFreeBlocksOrInodes) {
  struct Case {
    std::string name;
    std::optional<host::DiskSpace> space;
    bool full;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"nobody knows", std::nullopt, false},
           {"room", host::DiskSpace{.total = 1 << 30, .available = 1 << 21}, false},
           {"a last block", host::DiskSpace{.total = 1 << 30, .available = 4096}, true},
           {"no inodes", host::DiskSpace{.total = 1 << 30, .available = 1 << 29, .inodes = 5'000},
            true},
           {"no inodes are counted", host::DiskSpace{.total = 1 << 30, .available = 1 << 29},
            false}}) {
    host::FakeHost fake;
    const auto disk_space = [&](const std::string&) { return c.space; };
    EXPECT_EQ(CollectFacts({.host = fake.host, .disk_space = disk_space}).disk_full, c.full)
        << c.name;
  }
}

}  // namespace
}  // namespace components
