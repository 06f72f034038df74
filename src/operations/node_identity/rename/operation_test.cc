// SPDX-License-Identifier: Apache-2.0
#include "node_identity/rename/operation.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "kube/fake_server.h"
#include "node_identity/rename/gather.h"

namespace node_rename {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace resources = kube::resources;

constexpr const char* kFlags = "/var/lib/kubelet/kubeadm-flags.env";
constexpr const char* kEarlier = "/var/lib/slipway/rename.json";
constexpr const char* kConf = "/etc/kubernetes/kubelet.conf";

// A worker "w1", and a cluster in which the kubelet of "w2" becomes Ready immediately.
class RenameTest : public testing::Test {
 protected:
  RenameTest() {
    made_.MakeAll();
    made_.fake.machine.hostname = "w1";
    made_.fake.processes.AddExecutable("systemctl");
    WriteConf("w1");
    files_.Write(kFlags, "KUBELET_KUBEADM_ARGS=\"--v=4\"\n", {});
    server_.Put(resources::kNode, {{"metadata", {{"name", "w1"}}}});
    server_.Put(resources::kLease,
                {{"metadata", {{"name", "w2"}, {"namespace", "kube-node-lease"}}},
                 {"spec", {{"renewTime", "2099-01-01T00:00:00.000000Z"}}}});
  }

  void WriteConf(const std::string& name) {
    const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    const pki::Certificate certificate = pki::Sign(
        {.subject = {.common_name = "system:node:" + name, .organizations = {"system:nodes"}},
         .alt_names = {},
         .usages = {pki::ExtendedKeyUsage::kClientAuth},
         .not_before = certs::FakeContext::kStart - std::chrono::hours(2),
         .not_after = certs::FakeContext::kStart + std::chrono::hours(2)},
        key.Public(), certs::LoadCa(files_, certs::FakeContext::kDir, "ca"));
    kube::Kubeconfig conf = server_.Config();
    conf.clusters.begin()->second.certificate_authority_data = made_.Text("ca.crt");
    conf.users.begin()->second = {.client_certificate_data = certificate.Pem(),
                                  .client_key_data = key.Pem()};
    files_.Write(kConf, conf.Text(), {});
  }

  Renaming Begun() {
    return {.from = "w1",
            .to = "w2",
            .node = {
                {"metadata", {{"name", "w2"}, {"labels", {{"disk", "ssd"}}}}},
                {"spec", {{"unschedulable", true}}},
                // The status is set from the beginning, as if the kubelet had already written it.
                {"status",
                 {{"conditions", json::Value::array({{{"type", "Ready"}, {"status", "True"}}})}}}}};
  }

  RenameDeps With() {
    return {.host = made_.fake.host, .client = client_, .limit = std::chrono::milliseconds(200)};
  }

  // Runs the steps after the certificate is issued, as the command does.
  void Apply(const Renaming& renaming) {
    const auto interrupted = LoadJournal(files_);
    const auto credentials = std::make_shared<std::optional<kubelet_recovery::NewCredentials>>(
        RequestCredentials(renaming, With(), {}, [](const std::string&) {}));
    engine::Run(PlanOperation(renaming, credentials, With()), interrupted,
                {made_.fake.host, reporter_});
  }

  certs::FakeContext made_;
  host::Files& files_ = made_.fake.files;
  kube::FakeApiServer server_;
  std::shared_ptr<kube::Client> client_ =
      std::make_shared<kube::Client>(server_.NewTransport(), made_.fake.clock,
                                     kube::RetryPolicy{.limit = std::chrono::milliseconds(50)});
  workflow::Reporter reporter_{made_.fake.clock, {}};
  std::vector<std::string> said_;
};

TEST_F(RenameTest, ResumesWithTheExistingCertificate) {
  WriteConf("w2");
  Apply(Begun());
  EXPECT_EQ(server_.Find(resources::kNode, "", "w1"), std::nullopt);
  const json::Value node = server_.Find(resources::kNode, "", "w2").value();
  EXPECT_EQ(json::TextAt(node, {"metadata", "labels", "disk"}), "ssd");
  EXPECT_THAT(files_.Read(kFlags), HasSubstr("--v=4 --hostname-override=w2"));
  EXPECT_THAT(made_.fake.processes.changes(),
              ElementsAre(HasSubstr("systemctl stop kubelet"), HasSubstr("daemon-reload"),
                          HasSubstr("systemctl restart kubelet")));
  EXPECT_FALSE(LoadJournal(files_));
}

TEST_F(RenameTest, GivesTheOldNodesValuesToANodeThatTheKubeletCreated) {
  WriteConf("w2");
  server_.Put(resources::kNode, {{"metadata", {{"name", "w2"}, {"labels", {{"os", "linux"}}}}},
                                 {"spec", {{"podCIDR", "10.244.9.0/24"}}},
                                 {"status", Begun().node["status"]}});
  Apply(Begun());
  const json::Value node = server_.Find(resources::kNode, "", "w2").value();
  EXPECT_EQ(node["metadata"]["labels"], json::Value({{"os", "linux"}, {"disk", "ssd"}}));
  EXPECT_EQ(node["spec"]["unschedulable"], json::Value(true));
  EXPECT_EQ(json::TextAt(node, {"spec", "podCIDR"}), "10.244.9.0/24");
}

TEST_F(RenameTest, OmitsTheOverrideIfTheHostnameIsTheNodeName) {
  WriteConf("w2");
  made_.fake.machine.hostname = "w2";
  files_.Write(kFlags, "KUBELET_KUBEADM_ARGS=\"--hostname-override=w1\"\n", {});
  Apply(Begun());
  EXPECT_THAT(files_.Read(kFlags), Not(HasSubstr("hostname-override")));
}

TEST_F(RenameTest, NothingIsChangedWithoutACertificate) {
  const std::string before = files_.Read(kConf);
  EXPECT_NE(base::MessageOf([&] { Apply(Begun()); }), "");
  EXPECT_EQ(files_.Read(kConf), before);
  EXPECT_TRUE(server_.Find(resources::kNode, "", "w1"));
  EXPECT_FALSE(LoadJournal(files_));
  EXPECT_THAT(made_.fake.processes.changes(), Not(Contains(HasSubstr("kubelet"))));
}

TEST_F(RenameTest, AJournalStaysUntilTheNodeIsReady) {
  WriteConf("w2");
  Renaming renaming = Begun();
  renaming.node.erase("status");
  EXPECT_THAT(base::MessageOf([&] { Apply(renaming); }), HasSubstr("node w2 is not Ready"));
  EXPECT_EQ(json::TextAt(LoadJournal(files_).value().intent, {"from"}), "w1");
}

TEST_F(RenameTest, GathersFactsOfTheMachineAndTheCluster) {
  files_.Write("/etc/default/kubelet", "KUBELET_EXTRA_ARGS=--v=2\n", {});
  files_.Write("/etc/systemd/system/kubelet.service.d/20-name.conf",
               "[Service]\nEnvironment=KUBELET_EXTRA_ARGS=--hostname-override=w1\n", {});
  server_.Put(resources::kPod, {{"metadata", {{"name", "p"}, {"namespace", "default"}}},
                                {"spec", {{"nodeName", "w1"}}}});
  server_.Put(resources::kPod, {{"metadata", {{"name", "q"}, {"namespace", "default"}}},
                                {"spec", {{"nodeName", "w3"}}}});
  RenameFacts facts = CollectHere(made_.fake.host, "w2");
  EXPECT_EQ(facts.from, "w1");
  EXPECT_FALSE(facts.control_plane);
  EXPECT_THAT(facts.naming_files,
              ElementsAre("/etc/systemd/system/kubelet.service.d/20-name.conf"));
  CollectCluster(*client_, facts);
  EXPECT_EQ(json::TextAt(facts.node, {"metadata", "name"}), "w1");
  EXPECT_FALSE(facts.taken);
  EXPECT_EQ(facts.pods.size(), 1U);
  files_.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", "{}", {});
  EXPECT_TRUE(CollectHere(made_.fake.host, "w2").control_plane);
  files_.Remove(kConf);
  EXPECT_THAT(base::MessageOf([&] { CollectHere(made_.fake.host, "w2"); }),
              HasSubstr("this machine is not a node"));
}

TEST_F(RenameTest, JudgesANewNameAndResumesAnInterruptedOne) {
  const RenameFacts facts = CollectFacts(made_.fake.host, "w2", {});
  const auto say = [this](const std::string& line) { said_.push_back(line); };
  EXPECT_THAT(
      base::MessageOf([&] { PlanRenaming(*client_, facts, {}, say); }),
      HasSubstr("node w1 keeps its name; nothing was changed:\n\t- the node takes new Pods"));
  server_.Put(resources::kNode, {{"metadata", {{"name", "w1"}}},
                                 {"spec", {{"unschedulable", true}, {"providerID", "x"}}}});
  const Renaming renaming = PlanRenaming(*client_, facts, {}, say);
  EXPECT_EQ(renaming.from, "w1");
  EXPECT_EQ(json::TextAt(renaming.node, {"metadata", "name"}), "w2");
  EXPECT_THAT(said_, ElementsAre(HasSubstr("Note: a cloud provider")));
  files_.Write(kEarlier, json::Value{{"from", "w1"}, {"to", "w2"}, {"node", renaming.node}}.dump(),
               {});
  server_.Remove(resources::kNode, "", "w1");
  const auto interrupted = LoadJournal(files_);
  EXPECT_EQ(PlanRenaming(*client_, facts, interrupted, say).node, renaming.node);
  EXPECT_THAT(base::MessageOf([&] { CollectFacts(made_.fake.host, "w3", interrupted); }),
              HasSubstr("was interrupted here"));
  files_.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", "{}", {});
  EXPECT_THAT(base::MessageOf([&] { CollectFacts(made_.fake.host, "w2", {}); }),
              HasSubstr("etcd member"));
}

TEST_F(RenameTest, TheJournalOfAnEarlierReleaseIsFinishedOrRefused) {
  WriteConf("w2");
  const json::Value earlier{{"from", "w1"}, {"to", "w2"}, {"node", Begun().node}};
  files_.Write(kEarlier, earlier.dump(), {});
  Apply(Begun());
  EXPECT_FALSE(files_.Exists(kEarlier));
  EXPECT_FALSE(LoadJournal(files_));
  files_.Write(kEarlier, "{}", {});
  EXPECT_THAT(base::MessageOf([&] { LoadJournal(files_); }),
              HasSubstr("is not a journal of a new name"));
}

}  // namespace
}  // namespace node_rename
