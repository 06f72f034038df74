// SPDX-License-Identifier: Apache-2.0
#include "readdress/apply.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "kube/fake_server.h"
#include "readdress/plan.h"

namespace readdress {
namespace {

using testing::Contains;
using testing::HasSubstr;
namespace resources = kube::resources;

constexpr const char* kFlags = "/var/lib/kubelet/kubeadm-flags.env";

net::IpAddress Ip(const char* text) { return net::IpAddress::Parse(text).value(); }

// A worker whose kubelet is told its address.
class ApplyTest : public testing::Test {
 protected:
  ApplyTest() {
    made_.MakeAll();
    made_.fake.processes.AddExecutable("systemctl");
    files_.Write("/etc/kubernetes/kubelet.conf", server_.Config().Text(), {});
    files_.Write(kFlags, "KUBELET_KUBEADM_ARGS=\"--node-ip=192.0.2.9\"\n", {});
    node_.config = made_.config;
    node_.config.init.node_registration.name = "w1";
    files_.Write("/var/lib/kubelet/config.yaml", "healthzPort: 0\n", {});
    node_.address = Ip("192.0.2.9");
    PutNode("192.0.2.10");
  }

  void PutNode(const char* address) {
    server_.Put(
        resources::kNode,
        {{"metadata", {{"name", "w1"}}},
         {"status",
          {{"addresses", json::Value::array({{{"type", "InternalIP"}, {"address", address}}})}}}});
  }

  Engine With() {
    return {.host = made_.fake.host,
            .connect_runtime = {},
            .start = certs::FakeContext::kStart,
            .limit = std::chrono::milliseconds(200),
            .say = [](const std::string&) {}};
  }

  std::string ProblemOf(const Move& move, const Plan& plan = {}) {
    return base::MessageOf([&] { CheckMove(node_, plan, move, With()); });
  }

  certs::FakeContext made_;
  host::Files& files_ = made_.fake.files;
  kube::FakeApiServer server_;
  Node node_;
  const Move move_{.from = Ip("192.0.2.9"), .to = Ip("192.0.2.10")};
};

TEST_F(ApplyTest, MovesAWorkersKubelet) {
  files_.MakeDirectories("/etc/kubernetes/tmp/x");
  Apply(node_, {.move = move_, .directory = "/etc/kubernetes/tmp/x"}, With());
  EXPECT_THAT(files_.Read(kFlags), HasSubstr("--node-ip=192.0.2.10"));
  EXPECT_THAT(files_.Read("/etc/kubernetes/tmp/x/kubelet/kubeadm-flags.env"),
              HasSubstr("--node-ip=192.0.2.9"));
  EXPECT_THAT(made_.fake.processes.changes(), Contains("systemctl restart kubelet"));
  EXPECT_EQ(LoadJournal(files_), std::nullopt);
}

TEST_F(ApplyTest, GoesOnWhereItWasCutOff) {
  PutNode("192.0.2.9");
  Journal journal{.move = move_, .directory = "/etc/kubernetes/tmp/x"};
  EXPECT_THAT(base::MessageOf([&] { Apply(node_, journal, With()); }),
              HasSubstr("the Node still has the old address"));
  journal = LoadJournal(files_).value();
  EXPECT_TRUE(journal.pods_serve);
  const std::size_t before = made_.fake.processes.changes().size();
  PutNode("192.0.2.10");
  Apply(node_, journal, With());
  EXPECT_EQ(made_.fake.processes.changes().size(), before) << "the kubelet is not restarted again";
  EXPECT_EQ(LoadJournal(files_), std::nullopt);
}

TEST_F(ApplyTest, TheSecondFamilysAddressIsTheNodesToo) {
  node_.address = Ip("192.0.2.9");
  node_.node_ips = {Ip("192.0.2.9"), Ip("fd00::9")};
  const Move second{.from = Ip("fd00::9"), .to = Ip("fd00::10")};
  EXPECT_THAT(ProblemOf(second), HasSubstr("does not have the address fd00::10"));
  made_.fake.network.interfaces.push_back({.name = "eth1", .up = true, .addresses = {"fd00::10"}});
  EXPECT_EQ(ProblemOf(second), "");
  EXPECT_THAT(AddressesToAsk(node_, second), testing::ElementsAre(Ip("192.0.2.9")))
      << "the API server stays where it is";
  EXPECT_THAT(AddressesToAsk(node_, move_),
              testing::ElementsAre(Ip("192.0.2.9"), Ip("192.0.2.10")));
  files_.Write(kFlags, "KUBELET_KUBEADM_ARGS=\"--node-ip=192.0.2.9,fd00::9\"\n", {});
  Apply(node_, {.move = second, .directory = "/etc/kubernetes/tmp/x"}, With());
  EXPECT_THAT(files_.Read(kFlags), HasSubstr("--node-ip=192.0.2.9,fd00::10"));
}

TEST_F(ApplyTest, RefusesWhatCannotBe) {
  EXPECT_EQ(ProblemOf(move_), "");
  EXPECT_THAT(ProblemOf({.from = Ip("192.0.2.9"), .to = Ip("fd00::1")}),
              HasSubstr("of another family"));
  EXPECT_THAT(ProblemOf({.from = Ip("192.0.2.9"), .to = Ip("192.0.2.11")}),
              HasSubstr("does not have the address 192.0.2.11"));
  // The control plane's address moves, not this worker's.
  EXPECT_EQ(ProblemOf({.from = Ip("192.0.2.1"), .to = Ip("192.0.2.2")}), "");
  Plan plan;
  plan.certificates = {"apiserver"};
  EXPECT_EQ(ProblemOf(move_, plan), "");
  made_.Remove("ca.key");
  EXPECT_THAT(ProblemOf(move_, plan), HasSubstr("the key of its CA is not here"));
}

}  // namespace
}  // namespace readdress
