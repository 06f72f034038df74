// SPDX-License-Identifier: Apache-2.0
#include "config_change/journal.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "components/table.h"
#include "config_change/fake_cluster.h"
#include "config_change/operation.h"

namespace config_change {
namespace {

using engine::State;
using engine::StepState;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kEarlier = "/var/lib/slipway/config-change.json";
constexpr const char* kEarlierPods = "/var/lib/slipway/config-change-pods.json";
constexpr const char* kCrt = "/etc/kubernetes/pki/apiserver.crt";
constexpr const char* kManifest = "/etc/kubernetes/manifests/kube-scheduler.yaml";

TEST(RecordedIn, ReadsBackTheResultOfFactsOf) {
  FakeCluster with;
  const Before before{.stored = FakeCluster::Stored("before"), .node = with.node};
  const control_plane::PodChange replaced{.component = components::Component::kScheduler,
                                          .pod = {},
                                          .what = control_plane::PodChange::What::kReplace};
  const control_plane::PodChange same{.component = components::Component::kApiServer, .pod = {}};
  const Plan plan{.certificates = {"apiserver"},
                  .pods = {same, replaced},
                  .kubelet = true,
                  .stores = true,
                  .core_dns = true};
  const Recorded recorded = RecordedIn({.facts = FactsOf(before, plan)});
  EXPECT_EQ(recorded.before.stored, before.stored);
  EXPECT_EQ(recorded.before.node.node_registration.name, "cp-one");
  EXPECT_THAT(recorded.plan.certificates, ElementsAre("apiserver"));
  EXPECT_THAT(recorded.plan.pods, ElementsAre(replaced));
  EXPECT_TRUE(recorded.plan.kubelet && recorded.plan.stores && recorded.plan.core_dns);
  EXPECT_FALSE(recorded.plan.kube_proxy);
}

TEST(RecordedIn, RefusesMalformedFacts) {
  FakeCluster with;
  json::Value facts = FactsOf({.stored = FakeCluster::Stored("x"), .node = with.node}, {});
  facts["certificates"] = {"no-such"};
  EXPECT_THAT(base::MessageOf([&] { RecordedIn({.facts = facts}); }),
              HasSubstr("operation-config-apply.json: its facts are malformed: it names an "
                        "unknown certificate; remove it if"));
  facts.erase("certificates");
  EXPECT_THAT(base::MessageOf([&] { RecordedIn({.facts = facts}); }),
              HasSubstr("a field is missing"));
}

// The journal of a release before the engine.
class EarlierTest : public testing::Test {
 protected:
  EarlierTest() {
    const config::StoredConfig before = FakeCluster::Stored("before");
    json_ = {{"state", "kept"},
             {"id", "5f0c1d2e3a4b5c6d"},
             {"cluster", before.cluster},
             {"kubeletConfiguration",
              {{"text", before.kubelet->text}, {"generated", before.kubelet->generated}}},
             {"kubeProxyConfiguration", nullptr},
             {"node", json::Encode(with_.node)},
             {"stored", true},
             {"directory", "/kept"},
             {"certificates", {"apiserver"}},
             {"kubelet", true},
             {"coreDns", false},
             {"kubeProxy", false},
             {"putBack", false},
             {"storedAs", "5a"},
             {"written", {{kCrt, "c1"}, {kManifest, "f1"}}},
             {"until", 0}};
    pods_ = {{"command", "config apply"}, {"manifests", {{"kube-scheduler", "/kept"}}}};
  }

  std::optional<engine::Journal> Load() {
    with_.fake.files.Write(kEarlier, json_.dump(), {});
    with_.fake.files.Write(kEarlierPods, pods_.dump(), {});
    return LoadJournal(with_.fake.files);
  }
  std::string Refusal() {
    return base::MessageOf([&] { Load(); });
  }

  FakeCluster with_;
  json::Value json_;
  json::Value pods_;
};

TEST_F(EarlierTest, IsConverted) {
  const engine::Journal journal = Load().value();
  EXPECT_EQ(journal.state, State::kDone);
  EXPECT_EQ(journal.id, "5f0c1d2e3a4b5c6d");
  std::vector<std::string> copies;
  for (const engine::FileBackup& file : journal.files) {
    copies.push_back(file.path + " " + file.copy + " " + file.written);
  }
  EXPECT_THAT(
      copies,
      ElementsAre("/etc/kubernetes/pki/apiserver.crt /kept/pki-apiserver.crt c1",
                  "/etc/kubernetes/pki/apiserver.key /kept/pki-apiserver.key ",
                  "/var/lib/kubelet/config.yaml /kept/kubelet-config.yaml ",
                  "/etc/kubernetes/manifests/kube-scheduler.yaml /kept/kube-scheduler.yaml f1"));
  EXPECT_EQ(journal.files[1].mode, 0600);
  EXPECT_TRUE(journal.files[3].pod);
  const Plan plan = RecordedIn(journal).plan;
  ASSERT_EQ(plan.pods.size(), 2U) << "the certificate's component is restarted";
  EXPECT_EQ(plan.pods[0].component, components::Component::kApiServer);
  EXPECT_EQ(plan.pods[0].what, control_plane::PodChange::What::kRestart);
  EXPECT_EQ(json::TextAt(journal.facts, {kStoredAs}), "5a");
  for (const std::string& step : {PodsStep({plan.pods[0]}), std::string(kKubeletStep),
                                  std::string(kStoreStep), std::string(kCertificatesStep)}) {
    EXPECT_TRUE(journal.HasBegun(step)) << step;
  }
}

TEST_F(EarlierTest, KeepsItsState) {
  json_["state"] = "trying";
  json_["until"] = 1700000000;
  EXPECT_EQ(Load()->state, State::kTrying);
  EXPECT_EQ(Load()->until, 1700000000);
  EXPECT_TRUE(engine::LoadUnconfirmed(Timer(), "5f0c1d2e3a4b5c6d", with_.fake.files));
  json_["state"] = "applying";
  EXPECT_EQ(Load()->state, State::kApplying);
  json_["putBack"] = true;
  EXPECT_EQ(Load()->state, State::kRollingBack);
  EXPECT_TRUE(Load()->HasDone(engine::kRestoreFiles));
  EXPECT_FALSE(Load()->HasBegun(kKubeletStep)) << "only the cluster's objects are left";
  EXPECT_TRUE(Load()->HasBegun(kStoreStep));
}

TEST_F(EarlierTest, IsReplacedWhenItsChangeIsRolledBack) {
  with_.Store("after");
  json_["certificates"] = json::Value::array();
  json_["kubelet"] = false;
  json_["storedAs"] = "";
  json_["written"] = json::Value::object();
  pods_["manifests"] = json::Value::object();
  const engine::Journal journal = Load().value();
  const Recorded recorded = RecordedIn(journal);
  const auto change = std::make_shared<Change>(recorded.before, recorded.plan, with_.deps);
  change->PrepareRollback(journal);
  engine::Rollback(change->ToOperation(journal.intent), journal, with_.With());
  EXPECT_EQ(with_.StoredName(), "before");
  EXPECT_FALSE(with_.fake.files.Exists(kEarlier));
  EXPECT_FALSE(with_.fake.files.Exists(kEarlierPods));
  EXPECT_FALSE(LoadJournal(with_.fake.files));
}

TEST_F(EarlierTest, IsReplacedWhenItsTrialIsConfirmed) {
  json_["state"] = "trying";
  json_["until"] = 1700000000;
  Load();
  engine::Confirm(Timer(), with_.fake.host);
  EXPECT_FALSE(with_.fake.files.Exists(kEarlier)) << "the older timer would roll it back";
  EXPECT_EQ(LoadJournal(with_.fake.files)->state, State::kDone);
}

TEST_F(EarlierTest, IsRefusedByNameWhenItIsMalformed) {
  json_["state"] = "undoing";
  EXPECT_THAT(Refusal(), HasSubstr(std::string(kEarlier) + " is not a journal of a change: its "
                                                           "state is unknown; remove it if"));
  json_["state"] = "kept";
  json_["certificates"] = {"../../etc/passwd"};
  EXPECT_THAT(Refusal(), HasSubstr("it names an unknown certificate"));
  json_["certificates"] = {"apiserver"};
  json_["directory"] = "relative";
  EXPECT_THAT(Refusal(), HasSubstr(kEarlier));
  json_.erase("directory");
  EXPECT_THAT(Refusal(), HasSubstr("a field is missing"));
  pods_ = "text";
  EXPECT_THAT(Refusal(), HasSubstr(kEarlierPods));
}

TEST_F(EarlierTest, IsIgnoredIfAJournalExists) {
  engine::SaveJournal(with_.fake.files,
                      {.operation = std::string(kOperation), .id = "new", .state = State::kDone});
  EXPECT_EQ(Load()->id, "new");
}

}  // namespace
}  // namespace config_change
