// SPDX-License-Identifier: Apache-2.0
#include "inventories/machine_source.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace inventories {
namespace {

TEST(FindMachineApi, FollowsTheServersPreference) {
  kube::FakeApiServer server;
  const auto transport = server.NewTransport();
  EXPECT_FALSE(FindMachineApi(*transport, {"g", ""}, {}));
  server.SetText("/apis/g", 200, R"({"preferredVersion":{"version":"v2"}})");
  server.SetText("/apis/g/v1", 200, R"({"resources":[{"name":"machines/status","kind":"Machine"},
    {"name":"machines","kind":"Machine"}]})");
  server.SetText("/apis/g/v2", 200, R"({"resources":[{"name":"others","kind":"Other"}]})");
  EXPECT_FALSE(FindMachineApi(*transport, {"g", ""}, {}));
  EXPECT_FALSE(FindMachineApi(*transport, {"g", "v3"}, {}));
  const auto api = FindMachineApi(*transport, {"g", "v1"}, {});
  ASSERT_TRUE(api);
  EXPECT_EQ(api->plural, "machines");
}

// Records the problems of a source.
class ProblemSink : public Sink {
 public:
  void Put(const judgement::MachineKey& /*key*/, judgement::Machine /*machine*/) override {}
  void Remove(const judgement::MachineKey& /*key*/) override {}
  void SetProblem(int /*rank*/, const std::string& key,
                  const std::optional<std::string>& problem) override {
    const std::scoped_lock lock(mutex_);
    problems_.erase(key);
    if (problem) {
      problems_[key] = *problem;
    }
  }
  // Waits up to 10 s until exactly one problem is set, and it contains `text`.
  bool Becomes(const std::string& text) {
    for (int i = 0; i < 10'000; ++i) {
      {
        const std::scoped_lock lock(mutex_);
        if (problems_.size() == 1 && problems_.begin()->second.contains(text)) {
          return true;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const std::scoped_lock lock(mutex_);
    ADD_FAILURE() << testing::PrintToString(problems_);
    return false;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> problems_;
};

TEST(MachineSource, ForgetsTheClusterOfAMachineThatBecomesMalformed) {
  const kube::Resource machines{"cluster.x-k8s.io", "v1", "machines", "Machine"};
  const auto machine = [](const char* name, const json::Value& cluster) {
    return json::Value{{"metadata", {{"namespace", "ns"}, {"name", name}}},
                       {"spec", {{"clusterName", cluster}}}};
  };
  kube::FakeApiServer server;
  server.SetText("/apis/cluster.x-k8s.io", 200, R"({"preferredVersion":{"version":"v1"}})");
  server.SetText("/apis/cluster.x-k8s.io/v1", 200,
                 R"({"resources":[{"name":"machines","kind":"Machine"}]})");
  server.Put(machines, machine("a", "one"));
  server.Put(machines, machine("b", "two"));
  const auto transport = server.NewTransport();
  host::FakeClock clock;
  ProblemSink sink;
  MachineSource source(*transport, clock, sink,
                       {.group = {"cluster.x-k8s.io", "v1"}, .name_space = "", .cluster = ""},
                       [] {});
  const std::jthread watching([&](const std::stop_token& stop) {
    try {
      source.Run(stop);
    } catch (const base::Interrupted&) {
      return;  // the end of the test
    }
  });
  EXPECT_TRUE(sink.Becomes("2 clusters"));
  server.Put(machines, machine("b", 1));
  EXPECT_TRUE(sink.Becomes("machine ns/b")) << "the problem of two clusters is gone";
}

}  // namespace
}  // namespace inventories
