// SPDX-License-Identifier: Apache-2.0
#include "config_change/operation.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "components/table.h"
#include "config/component_configs.h"
#include "config_change/fake_cluster.h"
#include "config_change/field_table.h"
#include "json/value.h"
#include "workflow/resume.h"

namespace config_change {
namespace {

using base::Error;
using base::Thrown;
using engine::State;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kSet = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy";

// A change of kube-proxy's settings, which changes no node's files.
class ApplyTest : public testing::Test {
 protected:
  ApplyTest() { with_.Store("before"); }

  Before Begin() { return {.stored = FakeCluster::Stored("before"), .node = with_.node}; }
  Plan ProxyPlan() {
    return {.to = Complete(FakeCluster::Stored("after"), with_.node, with_.facts),
            .fields = {{.difference = {}, .row = &RowFor(config::kKubeProxyKind, "mode")}},
            .stores = true,
            .kube_proxy = true};
  }
  std::shared_ptr<Change> Made(const Plan& plan) {
    return std::make_shared<Change>(Begin(), plan, with_.deps);
  }
  void ApplyIt() {
    const auto change = Made(ProxyPlan());
    change->PrepareRun();
    engine::Run(change->ToOperation(json::Value::object()), {}, with_.With());
  }
  std::optional<engine::Journal> Loaded() { return LoadJournal(with_.fake.files); }
  // Leaves the journal of a run that was killed.
  engine::Journal Interrupt(const std::vector<engine::StepRecord>& steps) {
    engine::Journal journal{.operation = std::string(kOperation),
                            .id = "5f0c1d2e3a4b5c6d",
                            .intent = json::Value::object(),
                            .facts = FactsOf(Begin(), ProxyPlan()),
                            .steps = steps};
    engine::SaveJournal(with_.fake.files, journal);
    return journal;
  }
  void ResumeIt(const engine::Journal& journal) {
    const auto change = Made(PlanRest(RecordedIn(journal), with_.sources, ProxyPlan().to));
    change->PrepareResumed(journal);
    engine::Run(change->ToOperation(journal.intent), journal, with_.With());
  }
  void RefuseProxies() {
    with_.server.Inject({.what = std::string("GET ") + kSet,
                         .status = 503,
                         .reason = "ServiceUnavailable",
                         .message = "of 2 Pods none",
                         .times = -1});
  }
  std::string RestartedAt() {
    const auto set = with_.server.Find(kube::resources::kDaemonSet, "kube-system", "kube-proxy");
    return json::TextAt(set.value_or(json::Value()), {"spec", "template", "metadata", "annotations",
                                                      "kubectl.kubernetes.io/restartedAt"});
  }

  FakeCluster with_;
};

TEST_F(ApplyTest, ReplacesKubeProxysPodsIfItsSettingsChange) {
  ApplyIt();
  EXPECT_EQ(with_.StoredName(), "after");
  EXPECT_NE(RestartedAt(), "");
  EXPECT_EQ(Loaded()->state, State::kDone);
  EXPECT_TRUE(RecordedIn(*Loaded()).plan.kube_proxy);
  EXPECT_NE(json::TextAt(Loaded()->facts, {kStoredAs}), "");
}

TEST_F(ApplyTest, RollsBackSettingsWithWhichTheProxiesDoNotServe) {
  RefuseProxies();
  EXPECT_THAT(Thrown([&] { ApplyIt(); }).message(), StartsWith("the change was rolled back"));
  EXPECT_EQ(with_.StoredName(), "before");
  EXPECT_FALSE(Loaded());
  EXPECT_THAT(with_.said, Contains(HasSubstr("It continues by itself")));
  const std::vector<std::string> requests = with_.server.Requests();
  EXPECT_EQ(std::ranges::count_if(requests,
                                  [](const std::string& one) {
                                    return one.starts_with(std::string("PATCH ") + kSet);
                                  }),
            2)
      << "the old settings are read only at a start, too";
}

TEST_F(ApplyTest, RefusesATrialOfOtherEncryptionKeys) {
  const json::Value pod = {
      {"spec",
       {{"containers", {{{"command", {"kube-apiserver", "--encryption-provider-config=/x"}}}}}}}};
  Plan plan{.to = ProxyPlan().to};
  plan.pods = {{.component = components::Component::kApiServer,
                .pod = pod,
                .what = control_plane::PodChange::What::kReplace}};
  const Error refused = Thrown([&] { Made(plan)->RequireTriable(); });
  EXPECT_EQ(refused.kind(), Error::Kind::kInvalid);
  EXPECT_THAT(refused.message(),
              HasSubstr("encryption-provider-config would become /x instead of none"));
}

TEST_F(ApplyTest, RefusesAPlanForAnotherStoredConfiguration) {
  with_.Store("another");
  EXPECT_THAT(Thrown([&] { ApplyIt(); }).message(), HasSubstr("configuration has changed since"));
  EXPECT_FALSE(Loaded());
}

TEST_F(ApplyTest, ResumesAnInterruptedRun) {
  ResumeIt(Interrupt({{.id = std::string(kStoreStep)}}));
  EXPECT_EQ(with_.StoredName(), "after");
  EXPECT_EQ(Loaded()->state, State::kDone);
  EXPECT_EQ(Loaded()->id, "5f0c1d2e3a4b5c6d");
}

TEST_F(ApplyTest, ResumesWithoutTheLeaseWhileTheServerIsAway) {
  with_.server.Inject({.what = "GET /apis/coordination.k8s.io",
                       .status = 503,
                       .reason = "ServiceUnavailable",
                       .message = "it restarts",
                       .times = 31});
  ResumeIt(Interrupt({}));
  EXPECT_THAT(with_.said, Contains(HasSubstr("this node is changed first")));
  EXPECT_EQ(with_.StoredName(), "after");
}

TEST_F(ApplyTest, AResumedRunOverwritesNoOtherConfiguration) {
  with_.Store("another");
  EXPECT_THAT(Thrown([&] { ResumeIt(Interrupt({})); }).message(),
              HasSubstr("configuration has changed since"));
  EXPECT_EQ(with_.StoredName(), "another");
}

TEST_F(ApplyTest, ListsItsStepsInOrder) {
  const auto pod = [](components::Component component, control_plane::PodChange::What what) {
    return control_plane::PodChange{.component = component, .pod = {}, .what = what};
  };
  using enum control_plane::PodChange::What;
  Plan plan = ProxyPlan();
  plan.certificates = {"apiserver"};
  plan.pods = {pod(components::Component::kEtcd, kReplace),
               pod(components::Component::kApiServer, kReplace),
               pod(components::Component::kControllerManager, kNothing),
               pod(components::Component::kScheduler, kRestart)};
  plan.kubelet = true;
  std::vector<std::string> lines;
  for (const engine::Step& step : Made(plan)->ToOperation({}).steps) {
    lines.push_back(step.id + ": " + step.line);
  }
  EXPECT_THAT(
      lines,
      ElementsAre(
          "certificates: certificates are issued again: apiserver",
          "restart-etcd: etcd is restarted on this node; kube-apiserver is restarted on this node",
          "restart-kube-scheduler: kube-scheduler is restarted on this node",
          "leaders: the restarted components lead, and work",
          "kubelet: the kubelet of this node is restarted; its Pods keep running",
          "store: the new configuration is stored in the cluster; kube-proxy is brought up to "
          "date on all nodes"));
}

constexpr const char* kCrt = "/etc/kubernetes/pki/apiserver.crt";
constexpr const char* kKey = "/etc/kubernetes/pki/apiserver.key";

// A change that has stored a configuration and reissued a certificate.
class UndoTest : public testing::Test {
 protected:
  UndoTest() {
    with_.Store("after");
    const Before before{.stored = FakeCluster::Stored("before"), .node = with_.node};
    journal_ = {.operation = std::string(kOperation),
                .id = "5f0c1d2e3a4b5c6d",
                .state = State::kDone,
                .intent = json::Value::object(),
                .facts = FactsOf(before, {.certificates = {"apiserver"}, .stores = true}),
                .directory = "/kept",
                .steps = {{.id = std::string(kCertificatesStep), .state = engine::StepState::kDone},
                          {.id = std::string(kStoreStep), .state = engine::StepState::kDone}}};
    journal_.facts[kStoredAs] = HashOf(stored_config::FetchStoredConfig(with_.client));
    for (const char* file : {kCrt, kKey}) {
      const std::string copy = std::string("/kept") + file;
      with_.fake.files.Write(copy, "old", {});
      with_.fake.files.Write(file, "new", {});
      journal_.files.push_back(
          {.path = file, .copy = copy, .mode = 0600, .written = workflow::FileHash("new")});
    }
    Save();
  }

  void Save() { engine::SaveJournal(with_.fake.files, journal_); }
  std::optional<engine::Journal> Loaded() { return LoadJournal(with_.fake.files); }
  void UndoIt() {
    const engine::Journal journal = Loaded().value();
    const Recorded recorded = RecordedIn(journal);
    const auto change = std::make_shared<Change>(recorded.before, recorded.plan, with_.deps);
    change->RequireReversible(journal);
    change->PrepareRollback(journal);
    engine::Rollback(change->ToOperation(journal.intent), journal, with_.With());
  }
  Error Refused() {
    return Thrown([&] { UndoIt(); });
  }
  std::string Certificate() { return with_.fake.files.Read(kCrt); }

  FakeCluster with_;
  engine::Journal journal_;
};

TEST_F(UndoTest, RollsBackUnchangedFiles) {
  UndoIt();
  EXPECT_EQ(Certificate(), "old");
  EXPECT_EQ(with_.StoredName(), "before");
  EXPECT_FALSE(Loaded());
  EXPECT_THAT(with_.server.Requests(), Contains(HasSubstr("leases/kubeadm-config-apply")));
}

TEST_F(UndoTest, RefusesToRevertLaterChanges) {
  with_.Store("upgraded");
  Error refused = Refused();
  EXPECT_EQ(refused.kind(), Error::Kind::kConflict);
  EXPECT_THAT(refused.message(), HasSubstr("the cluster's configuration has changed since"));
  with_.fake.files.Write(kCrt, "renewed", {});
  EXPECT_THAT(Refused().message(),
              HasSubstr("/etc/kubernetes/pki/apiserver.crt is another one now"));
  EXPECT_EQ(Certificate(), "renewed");
  EXPECT_EQ(with_.StoredName(), "upgraded");
  EXPECT_TRUE(Loaded());
}

std::string ApiServer(const std::string& argument) {
  return "{spec: {containers: [{command: [kube-apiserver" + argument + "]}]}}\n";
}

TEST_F(UndoTest, RefusesToRemoveKeysThatMayHaveEncryptedObjects) {
  const host::fs::path manifest = components::ManifestPath(components::Component::kApiServer);
  const std::string now = ApiServer(", --encryption-provider-config=/etc/new.yaml");
  with_.fake.files.Write(manifest, now, {});
  with_.fake.files.Write("/kept/kube-apiserver.yaml", ApiServer(""), {});
  journal_.files.push_back({.path = manifest.string(),
                            .copy = "/kept/kube-apiserver.yaml",
                            .mode = 0600,
                            .written = workflow::FileHash(now),
                            .pod = true});
  Save();
  const Error refused = Refused();
  EXPECT_EQ(refused.kind(), Error::Kind::kConflict);
  EXPECT_THAT(refused.message(), HasSubstr("keys of encryption-provider-config /etc/new.yaml"));
  EXPECT_EQ(Certificate(), "new");
  EXPECT_EQ(with_.StoredName(), "after");
  EXPECT_TRUE(Loaded());
}

TEST_F(UndoTest, RefusesOnANodeThatHasMoved) {
  with_.fake.files.Write(components::ManifestPath(components::Component::kApiServer),
                         ApiServer(", --advertise-address=10.0.0.2"), {});
  EXPECT_THAT(Refused().message(), HasSubstr("this node has moved from 10.20.30.40 to 10.0.0.2"));
  EXPECT_EQ(Certificate(), "new");
}

TEST_F(UndoTest, SkipsTheDriftCheckAfterAnInterruptedChange) {
  with_.fake.files.Write(kCrt, "half", {});
  journal_.state = State::kApplying;
  journal_.facts.erase(kStoredAs);
  Save();
  UndoIt();
  EXPECT_EQ(Certificate(), "old");
  EXPECT_EQ(with_.StoredName(), "before");
}

// The API server answers once, and then fails all requests for the Lease, like a server that an
// interrupted run was replacing. The rollback must restore the node's files first.
TEST_F(UndoTest, RollsTheNodeBackIfTheServerStopsAfterItsFirstAnswer) {
  journal_.state = State::kApplying;
  Save();
  with_.server.Inject({.what = "GET /apis/coordination.k8s.io",
                       .status = 503,
                       .reason = "ServiceUnavailable",
                       .message = "it goes",
                       .times = 31});
  UndoIt();
  EXPECT_EQ(Certificate(), "old");
  EXPECT_EQ(with_.StoredName(), "before");
  EXPECT_THAT(with_.said, Contains(HasSubstr("this node is rolled back first")));
}

TEST_F(UndoTest, RollsTheNodeBackWithoutAnApiServer) {
  with_.Silence(-1);
  EXPECT_EQ(Refused().kind(), Error::Kind::kUnavailable);
  EXPECT_EQ(Certificate(), "old");
  EXPECT_EQ(Loaded()->state, State::kRollingBack);
  EXPECT_TRUE(Loaded()->HasDone(engine::kRestoreFiles));
}

TEST_F(UndoTest, ContinuesWhenTheClusterAnswersAgain) {
  journal_.state = State::kRollingBack;
  journal_.steps.front().state = engine::StepState::kRolledBack;
  journal_.steps.push_back(
      {.id = std::string(engine::kRestoreFiles), .state = engine::StepState::kDone});
  Save();
  with_.fake.files.Write(kCrt, "renewed since", {});
  UndoIt();
  EXPECT_EQ(Certificate(), "renewed since") << "the node's files are restored once";
  EXPECT_EQ(with_.StoredName(), "before");
  EXPECT_FALSE(Loaded());
}

TEST_F(UndoTest, KeepsLaterStoredConfigurations) {
  journal_.state = State::kRollingBack;
  Save();
  with_.Store("another");
  UndoIt();
  EXPECT_EQ(with_.StoredName(), "another");
  EXPECT_FALSE(Loaded());
  EXPECT_THAT(with_.said, Contains(HasSubstr("The stored configuration has changed since")));
}

}  // namespace
}  // namespace config_change
