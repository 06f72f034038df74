// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/gate.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace upgrade_path {
namespace {

using testing::HasSubstr;

json::Value Ready(const char* status) {
  return {{"conditions", {{{"type", "Ready"}, {"status", status}}}}};
}

// Pod has one container, in a state ("running", "waiting"), whose ID is the component's name.
json::Value Pod(const char* component, const char* tag, const char* state) {
  const json::Value status = {{"containerID", component},
                              {"state", {{state, json::Value::object()}}}};
  return {{"metadata",
           {{"name", component},
            {"namespace", "kube-system"},
            {"labels", {{"component", component}, {"tier", "control-plane"}}}}},
          {"spec", {{"nodeName", "n"}, {"containers", {{{"image", std::string("r/x:") + tag}}}}}},
          {"status", {{"containerStatuses", json::Value::array({status})}}}};
}

json::Value Node(const char* ready) {
  return {{"metadata", {{"name", "n"}}}, {"status", Ready(ready)}};
}

TEST(HopTrouble, NamesWhatIsNotYetThere) {
  const json::Value node = Node("True");
  const json::Value server = Pod("kube-apiserver", "v1.35.4", "running");
  const json::Value etcd = Pod("etcd", "3.6.6-0", "running");
  EXPECT_EQ(HopTrouble({server, etcd}, node, "v1.35.4"), std::nullopt);
  EXPECT_EQ(HopTrouble({}, node, "v1.35.4"), "the cluster has none of its Pods");
  EXPECT_EQ(HopTrouble({server}, node, "v1.36.3"), "Pod kube-apiserver is at v1.35.4");
  EXPECT_EQ(HopTrouble({server, Pod("etcd", "3.6.6-0", "waiting")}, node, "v1.35.4"),
            "Pod etcd does not run");
  EXPECT_EQ(HopTrouble({server}, Node("Unknown"), "v1.35.4"), "the node is not Ready");
}

class Gate : public testing::Test {
 protected:
  Gate() {
    server_.SetText("/readyz", 200, "ok");
    server_.Put(kube::resources::kNode, Node("True"));
    server_.Put(kube::resources::kPod, Pod("kube-apiserver", "v1.35.4", "running"));
  }
  // How long the gate stays closed, in the fake clock's time.
  std::chrono::nanoseconds Wait(std::vector<kube::Probe> serving, std::set<std::string> before) {
    const auto begin = fake_.clock.Steady();
    WaitForHop({.client = client_,
                .clock = fake_.clock,
                .node = "n",
                .version = "v1.35.4",
                .limit = std::chrono::minutes(1),
                .serving = std::move(serving),
                .steady = std::chrono::seconds(10),
                .before = std::move(before)});
    return fake_.clock.Steady() - begin;
  }

  host::FakeHost fake_;
  kube::FakeApiServer server_;
  kube::Client client_{server_.NewTransport(), fake_.clock, {}};
};

TEST_F(Gate, OpensAtOnceWhereAllIsWellAndNoContainerIsOfBefore) {
  EXPECT_LT(Wait({}, {}), std::chrono::seconds(1));
  EXPECT_LT(Wait({}, {"the old one"}), std::chrono::seconds(1));
}

TEST_F(Gate, StaysClosedForAWhileWhereAContainerMayYetBeReplaced) {
  const auto waited = Wait({}, {"kube-apiserver"});
  EXPECT_GE(waited, std::chrono::seconds(10));
  EXPECT_LT(waited, std::chrono::seconds(12));
}

TEST_F(Gate, BeginsItsTimeAgainWithEachTrouble) {
  const auto begin = fake_.clock.Steady();
  const kube::Probe restarts = [&](const std::stop_token&) -> std::optional<kube::NotYet> {
    const auto at = fake_.clock.Steady() - begin;
    if (at > std::chrono::seconds(6) && at < std::chrono::seconds(8)) {
      throw base::Error(base::Error::Kind::kUnavailable, "connection refused");
    }
    return std::nullopt;
  };
  EXPECT_GE(Wait({restarts}, {"kube-apiserver"}), std::chrono::seconds(18));
}

TEST_F(Gate, NamesWhatDoesNotServe) {
  const kube::Probe ill = [](const std::stop_token&) { return kube::NotYet{"status 500"}; };
  const base::Error error = base::Thrown([&] { Wait({ill}, {}); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
  EXPECT_THAT(error.message(), HasSubstr("is at v1.35.4, and not well"));
  EXPECT_THAT(error.message(), HasSubstr("status 500"));
}

TEST(Followers, AreNamedWithWhatToDo) {
  upgrade::Running running;
  running.static_pods["kube-apiserver"] = {{"one", "v1.35.4"}, {"two", "v1.34.4"}};
  running.kubelets = {{"worker", "v1.33.1"}};
  const auto error_of = [&](const char* next) {
    return base::MessageOf([&] { RequireFollowers(running, base::Version::Parse(next).value()); });
  };
  EXPECT_EQ(error_of("v1.35.4"), "");
  EXPECT_THAT(error_of("v1.36.3"), HasSubstr("two (v1.34.4). Give 'kubeadm upgrade node'"));
  running.static_pods["kube-apiserver"] = {{"one", "v1.36.3"}};
  EXPECT_THAT(error_of("v1.37.2"), HasSubstr("worker (v1.33.1). Upgrade these"));
}

}  // namespace
}  // namespace upgrade_path
