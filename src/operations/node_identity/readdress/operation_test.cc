// SPDX-License-Identifier: Apache-2.0
#include "node_identity/readdress/operation.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "kube/fake_server.h"
#include "node_identity/readdress/plan.h"

namespace readdress {
namespace {

using testing::Contains;
using testing::HasSubstr;
namespace resources = kube::resources;

constexpr const char* kFlags = "/var/lib/kubelet/kubeadm-flags.env";

net::IpAddress Ip(const char* text) { return net::IpAddress::Parse(text).value(); }

// A worker whose kubelet has its address as an argument.
class MoveTest : public testing::Test {
 protected:
  MoveTest() {
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

  MoveDeps With() {
    return {.host = made_.fake.host,
            .connect_runtime = {},
            .start = certs::FakeContext::kStart,
            .limit = std::chrono::milliseconds(200)};
  }

  std::string ProblemOf(const Move& move, const MovePlan& plan = {}) {
    return base::MessageOf(
        [&] { RequireMovable(node_, plan, move, With(), [](const std::string&) {}); });
  }

  engine::Operation Planned(const Move& move, const std::optional<engine::Journal>& last = {}) {
    const MovePlan plan = MakePlan({.files = SearchFiles(files_),
                                    .objects = {},
                                    .certificates_dir = node_.config.cluster.certificates_dir,
                                    .node = "w1"},
                                   move);
    return PlanOperation(node_, plan, move, With(), last);
  }

  void Run(const Move& move) {
    const auto last = LoadJournal(files_);
    engine::Run(Planned(move, last), last, {made_.fake.host, reporter_});
  }

  certs::FakeContext made_;
  host::Files& files_ = made_.fake.files;
  workflow::Reporter reporter_{made_.fake.clock, {}};
  kube::FakeApiServer server_;
  NodeFacts node_;
  const Move move_{.from = Ip("192.0.2.9"), .to = Ip("192.0.2.10")};
};

TEST_F(MoveTest, RewritesAWorkersFilesAndRestartsItsKubelet) {
  Run(move_);
  EXPECT_THAT(files_.Read(kFlags), HasSubstr("--node-ip=192.0.2.10"));
  EXPECT_THAT(made_.fake.processes.changes(), Contains("systemctl restart kubelet"));
  EXPECT_EQ(LoadJournal(files_)->state, engine::State::kDone);
}

TEST_F(MoveTest, RollsBackToThePreviousAddress) {
  Run(move_);
  PutNode("192.0.2.9");
  const auto journal = LoadJournal(files_);
  engine::Rollback(PlanOperation(node_, {}, MoveOf(*journal), With(), journal), *journal,
                   {made_.fake.host, reporter_});
  EXPECT_THAT(files_.Read(kFlags), HasSubstr("--node-ip=192.0.2.9"));
  EXPECT_EQ(std::ranges::count(made_.fake.processes.changes(), "systemctl restart kubelet"), 2);
  EXPECT_EQ(LoadJournal(files_), std::nullopt);
}

TEST_F(MoveTest, ResumesWithoutASecondRestart) {
  PutNode("192.0.2.9");
  EXPECT_THAT(base::MessageOf([&] { Run(move_); }),
              HasSubstr("the Node still has the old address"));
  EXPECT_TRUE(LoadJournal(files_)->HasDone("kubelet"));
  const std::size_t before = made_.fake.processes.changes().size();
  PutNode("192.0.2.10");
  Run(move_);
  EXPECT_EQ(made_.fake.processes.changes().size(), before) << "the kubelet is not restarted again";
}

constexpr const char* kEarlierJournal = "/var/lib/slipway/readdress.json";

TEST_F(MoveTest, FinishesAMoveThatAnEarlierReleaseBegan) {
  files_.Write(kEarlierJournal,
               R"({"from": "192.0.2.9", "to": "192.0.2.10", "directory": "/etc/kubernetes/tmp/x",
                   "movesPods": false, "podsServe": true, "peersKnow": false})",
               {});
  const auto journal = LoadJournal(files_);
  EXPECT_EQ(MoveOf(*journal).to, Ip("192.0.2.10"));
  EXPECT_TRUE(journal->HasDone("kubelet"));
  EXPECT_THAT(base::MessageOf([&] { RequireReversible(node_, move_, With(), journal); }),
              testing::AllOf(HasSubstr("kept no copies"), HasSubstr("--to 192.0.2.10")));
  const std::size_t before = made_.fake.processes.changes().size();
  Run(move_);
  EXPECT_EQ(made_.fake.processes.changes().size(), before);
  EXPECT_FALSE(files_.Exists(kEarlierJournal));
  EXPECT_EQ(LoadJournal(files_), std::nullopt) << "its backups have another layout";
}

TEST_F(MoveTest, RefusesAJournalOfAnEarlierReleaseThatItCannotRead) {
  for (const char* text : {"", "{}", "[1]",
                           R"({"from":"x","to":"10.0.0.1","directory":"/d",)"
                           R"("podsServe":true,"peersKnow":true})"}) {
    files_.Write(kEarlierJournal, text, {});
    const base::Error error = base::Thrown([&] { LoadJournal(files_); });
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
    EXPECT_THAT(error.message(), testing::Not(testing::ContainsRegex("exception|optional")));
    EXPECT_TRUE(files_.Exists(kEarlierJournal)) << "never ignored";
  }
}

TEST_F(MoveTest, MovesTheNodesAddressOfTheSecondFamilyToo) {
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
  Run(second);
  EXPECT_THAT(files_.Read(kFlags), HasSubstr("--node-ip=192.0.2.9,fd00::10"));
}

TEST_F(MoveTest, RefusesInvalidMoves) {
  EXPECT_EQ(ProblemOf(move_), "");
  EXPECT_THAT(ProblemOf({.from = Ip("192.0.2.9"), .to = Ip("fd00::1")}),
              HasSubstr("must be of the same family"));
  EXPECT_THAT(ProblemOf({.from = Ip("192.0.2.9"), .to = Ip("192.0.2.11")}),
              HasSubstr("does not have the address 192.0.2.11"));
  // The control plane's address changes, but not this worker's.
  const Move of_another{.from = Ip("192.0.2.1"), .to = Ip("192.0.2.2")};
  MovePlan plan;
  plan.occurrences.push_back({.place = "/etc/kubernetes/kubelet.conf:1"});
  EXPECT_EQ(ProblemOf(of_another, plan), "");
  EXPECT_THAT(ProblemOf(of_another), HasSubstr("nothing here names 192.0.2.1, and this machine"));
  plan.certificates = {"apiserver"};
  EXPECT_EQ(ProblemOf(move_, plan), "");
  made_.Remove("ca.key");
  EXPECT_THAT(ProblemOf(move_, plan), HasSubstr("the key of its CA is not here"));
}

}  // namespace
}  // namespace readdress
