// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/gate.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace upgrade_path {
namespace {

using testing::HasSubstr;

using std::chrono::seconds;

class GateTest : public testing::Test {
 protected:
  void SetUp() override {
    server_.SetText("/readyz", 200, "ok");
    PutNode("True");
  }
  void PutNode(const char* ready) {
    server_.Put(kube::resources::kNode,
                {{"metadata", {{"name", "a"}}},
                 {"status", {{"conditions", {{{"type", "Ready"}, {"status", ready}}}}}}});
  }
  HopGate Gate() {
    return {.client = client_,
            .clock = clock_,
            .node = "a",
            .version = "v1.35.4",
            .limit = seconds(60),
            .probes = {}};
  }
  seconds Waited(const HopGate& gate) {
    const auto begin = clock_.Steady();
    WaitForHop(gate);
    return std::chrono::round<seconds>(clock_.Steady() - begin);
  }

  host::FakeClock clock_;
  kube::FakeApiServer server_;
  kube::Client client_{server_.NewTransport(), clock_, {}};
};

TEST_F(GateTest, PassesAtOnceWhenAllIsHealthy) { EXPECT_EQ(Waited(Gate()), seconds(0)); }

TEST_F(GateTest, ReportsTheUnmetCondition) {
  PutNode("Unknown");
  EXPECT_THAT(
      base::MessageOf([&] { WaitForHop(Gate()); }),
      HasSubstr("at v1.35.4, and not healthy: not ready after 1m0s: the node is not Ready"));
  PutNode("True");
  HopGate gate = Gate();
  gate.probes = {[](const std::stop_token&) { return kube::NotYet{"etcd is ill"}; }};
  EXPECT_THAT(base::MessageOf([&] { WaitForHop(gate); }), HasSubstr("etcd is ill"));
}

TEST_F(GateTest, WaitsForAStartingServer) {
  for (const int status : {503, 403, 503}) {
    server_.Inject({.what = "GET /readyz", .status = status});
  }
  EXPECT_EQ(Waited(Gate()), seconds(0));
  EXPECT_EQ(server_.Requests().size(), 5U);
}

TEST_F(GateTest, WaitsWhileContainersOfThePreviousKubeletRun) {
  HopGate gate = Gate();
  gate.steady = seconds(10);
  const auto begin = clock_.Steady();
  gate.old_containers_run = [&] { return clock_.Steady() - begin < seconds(4); };
  EXPECT_EQ(Waited(gate), seconds(4));
}

TEST_F(GateTest, PassesAfterLastingHealthWithOldContainers) {
  HopGate gate = Gate();
  gate.steady = seconds(10);
  gate.old_containers_run = [] { return true; };
  EXPECT_EQ(Waited(gate), seconds(10));
}

TEST_F(GateTest, RestartsTheStableTimeAfterAFailure) {
  HopGate gate = Gate();
  gate.steady = seconds(10);
  gate.old_containers_run = [] { return true; };
  const auto begin = clock_.Steady();
  // The node is healthy for 6 s, fails for 2 s, and is healthy again.
  gate.probes = {[&](const std::stop_token&) -> std::optional<kube::NotYet> {
    const auto passed = clock_.Steady() - begin;
    if (passed > seconds(6) && passed < seconds(8)) {
      throw base::Error(base::Error::Kind::kUnavailable, "connection refused");
    }
    return std::nullopt;
  }};
  EXPECT_EQ(Waited(gate), seconds(18));
}

TEST(Followers, AreNamedWithInstructions) {
  control_plane::Running running;
  running.static_pods["kube-apiserver"] = {{"one", "v1.35.4"}, {"two", "v1.34.4"}};
  running.kubelets = {{"worker", "v1.33.1"}};
  const auto error_of = [&](const char* next, upgrade::Force force = upgrade::Force::kNo) {
    return base::MessageOf(
        [&] { RequireFollowers(running, base::Version::Parse(next).value(), force); });
  };
  EXPECT_EQ(error_of("v1.35.4"), "");
  EXPECT_THAT(error_of("v1.36.3"), HasSubstr("two (v1.34.4). Run 'kubeadm upgrade node'"));
  running.static_pods["kube-apiserver"] = {{"one", "v1.36.3"}};
  EXPECT_THAT(error_of("v1.37.2"), HasSubstr("worker (v1.33.1). Upgrade these"));
  EXPECT_EQ(error_of("v1.37.2", upgrade::Force::kYes), "") << "as one upgrade takes it";
}

}  // namespace
}  // namespace upgrade_path
