// SPDX-License-Identifier: Apache-2.0
#include "control_plane/pod_changes.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "static_pods/fake_kubelet.h"
#include "static_pods/static_pod.h"
#include "yaml/yaml.h"

namespace control_plane {
namespace {

using components::Component;
using static_pods::Replacement;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;
using What = PodChange::What;

std::string NameOf(Component component) { return std::string(components::Name(component)); }

json::Value Pod(Component component, const std::string& image) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", NameOf(component)}}},
          {"spec", {{"containers", {{{"name", NameOf(component)}, {"image", image}}}}}}};
}

// A control plane that runs "old" images.
class ControlPlaneTest : public testing::Test {
 protected:
  ControlPlaneTest() : node_(fake_.files) {
    for (const Component component : components::kComponents) {
      static_pods::WriteManifest(fake_.files, component, Pod(component, "old"));
    }
    node_.Containers(cri::AnyContainer);
    node_.started.clear();
    fake_.files.MakeDirectories("/backup", 0700);
  }

  static_pods::RestartContext Restart() {
    return {.host = fake_.host,
            .runtime = node_,
            .probe_of =
                [this](Component component) {
                  return [this, component](std::stop_token) -> std::optional<kube::NotYet> {
                    return broken_.contains({component, ImageOnDisk(component)})
                               ? std::optional(kube::NotYet{"it does not"})
                               : std::nullopt;
                  };
                },
            .limit = std::chrono::milliseconds(60),
            .restart_kubelet = [this] { node_.lost = false; }};
  }

  std::string ImageOnDisk(Component component) const {
    const auto pod = static_pods::ReadManifest(fake_.files, component);
    return pod ? static_pods::FirstImage(*pod).value() : "";
  }

  PodUpgrade Parts(const static_pods::RestartContext& restart) {
    return {.host = fake_.host,
            .restart = restart,
            .record = record_,
            .backup_directory = [] { return host::fs::path("/backup"); },
            .renew = [this](Component component) { renewed_.push_back(NameOf(component)); },
            .say = [](const std::string&) {}};
  }

  std::vector<PodChange> Plan(const std::vector<Replacement>& wanted, Renews renews = Renews::kNo) {
    return PlanChanges(fake_.files, wanted, record_, renews);
  }

  void Apply(const std::vector<Replacement>& wanted) {
    const static_pods::RestartContext restart = Restart();
    ApplyChanges(Plan(wanted), Parts(restart));
  }

  static std::vector<Replacement> AllNew() {
    std::vector<Replacement> wanted;
    for (const Component component : components::kComponents) {
      wanted.push_back({component, Pod(component, "new")});
    }
    return wanted;
  }

  host::FakeHost fake_;
  static_pods::FakeKubelet node_;
  UpgradeRecord record_{.command = "apply", .from = "v1.35.4", .to = "v1.36.3"};
  std::set<std::pair<Component, std::string>> broken_;
  std::vector<std::string> renewed_;
};

std::vector<What> Whats(const std::vector<PodChange>& changes) {
  std::vector<What> whats;
  for (const PodChange& change : changes) {
    whats.push_back(change.what);
  }
  return whats;
}

TEST_F(ControlPlaneTest, AKubeletThatStartsNothingIsRestarted) {
  node_.lost = true;
  Apply({{Component::kScheduler, Pod(Component::kScheduler, "new")}});
  EXPECT_THAT(node_.started, ElementsAre("kube-scheduler new"));
  EXPECT_FALSE(node_.lost);
}

TEST_F(ControlPlaneTest, LeavesUnchangedPodsAlone) {
  const std::vector<Replacement> same = {
      {Component::kEtcd, Pod(Component::kEtcd, "old")},
      {Component::kScheduler, Pod(Component::kScheduler, "old")}};
  EXPECT_THAT(Whats(Plan(same)), ElementsAre(What::kNothing, What::kNothing));
  Apply(same);
  EXPECT_THAT(node_.started, IsEmpty());
  EXPECT_THAT(renewed_, IsEmpty());
}

TEST_F(ControlPlaneTest, RestartsEtcdForItsCertificatesWhenTheApiServerChanges) {
  const std::vector<Replacement> wanted = {
      {Component::kApiServer, Pod(Component::kApiServer, "new")},
      {Component::kEtcd, Pod(Component::kEtcd, "old")}};
  EXPECT_THAT(Whats(Plan(wanted, Renews::kYes)), ElementsAre(What::kRestart, What::kReplace));
  EXPECT_THAT(Whats(Plan(wanted, Renews::kNo)), ElementsAre(What::kNothing, What::kReplace));
}

TEST_F(ControlPlaneTest, RecordsARestartBeforeAnInterrupt) {
  const std::vector<Replacement> wanted = {
      {Component::kApiServer, Pod(Component::kApiServer, "new")},
      {Component::kEtcd, Pod(Component::kEtcd, "old")}};
  std::vector<std::string> noted;
  static_pods::RestartContext restart = Restart();
  restart.say = [&](const std::string&) {
    noted.push_back(LoadRecord(fake_.files).value_or(UpgradeRecord{}).restarting);
  };
  ApplyChanges(Plan(wanted, Renews::kYes), Parts(restart));
  ASSERT_FALSE(noted.empty());
  EXPECT_EQ(noted.front(), "etcd");
  EXPECT_EQ(LoadRecord(fake_.files)->restarting, "");
}

TEST_F(ControlPlaneTest, WaitsForThePodsThatAnInterruptedRunHasReplaced) {
  record_.under_way["kube-scheduler"] = "/backup";
  const std::vector<Replacement> wanted = {
      {Component::kScheduler, Pod(Component::kScheduler, "old")}};
  EXPECT_THAT(Whats(Plan(wanted)), ElementsAre(What::kAwait));
  record_.serving["kube-scheduler"] = true;
  EXPECT_THAT(Whats(Plan(wanted)), ElementsAre(What::kNothing));
}

TEST_F(ControlPlaneTest, AMissingManifestIsNamed) {
  fake_.files.Remove(components::ManifestPath(Component::kScheduler));
  const base::Error error = base::Thrown([&] { Plan(AllNew()); });
  EXPECT_THAT(error.message(), HasSubstr("/etc/kubernetes/manifests/kube-scheduler.yaml"));
}

TEST_F(ControlPlaneTest, ReplacesEachComponentAfterItsServers) {
  Apply(AllNew());
  EXPECT_THAT(renewed_,
              ElementsAre("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"));
  EXPECT_THAT(node_.started, ElementsAre("etcd new", "kube-apiserver new",
                                         "kube-controller-manager new", "kube-scheduler new"));
  for (const Component component : components::kComponents) {
    EXPECT_THAT(*static_pods::ReadManifest(fake_.files, component),
                testing::Eq(yaml::Parse(static_pods::Text(Pod(component, "new"))).value));
  }
  // The old manifests are kept, and the rollback state is on disk.
  EXPECT_THAT(fake_.files.Read("/backup/etcd.yaml"), HasSubstr("image: old"));
  EXPECT_EQ(LoadRecord(fake_.files), record_);
  EXPECT_THAT(
      record_.serving,
      UnorderedElementsAre(Pair("etcd", true), Pair("kube-apiserver", true),
                           Pair("kube-controller-manager", true), Pair("kube-scheduler", true)));
}

TEST_F(ControlPlaneTest, RollsBackAPodThatDoesNotServeAndTheEarlierOnes) {
  broken_.insert({Component::kControllerManager, "new"});
  const base::Error error = base::Thrown([&] { Apply(AllNew()); });
  EXPECT_THAT(error.message(), HasSubstr("could not upgrade \"kube-controller-manager\""));
  EXPECT_THAT(error.message(), HasSubstr("it does not"));
  EXPECT_THAT(error.message(), HasSubstr("The old manifests are back"));
  EXPECT_EQ(ImageOnDisk(Component::kEtcd), "new");  // it is unknown whether its data are usable
  EXPECT_EQ(ImageOnDisk(Component::kApiServer), "old");
  EXPECT_EQ(ImageOnDisk(Component::kControllerManager), "old");
  EXPECT_EQ(ImageOnDisk(Component::kScheduler), "old");
  EXPECT_THAT(record_.manifests, IsEmpty());
}

TEST_F(ControlPlaneTest, RollsBackAServingEtcdOnlyWithinItsMinorVersion) {
  struct Case {
    std::string from, to, back;
    bool told;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"r/etcd:3.6.6-0", "r/etcd:3.6.8-0", "r/etcd:3.6.6-0", false},
           {"r/etcd:3.6.8-0", "r/etcd:3.7.0-0", "r/etcd:3.7.0-0", true},
           {"r/etcd:3.6.8-0", "r/etcd@sha256:0123", "r/etcd@sha256:0123", true}}) {
    record_ = {.command = "apply", .from = "v1.35.4", .to = "v1.36.3"};
    static_pods::WriteManifest(fake_.files, Component::kEtcd, Pod(Component::kEtcd, c.from));
    broken_ = {{Component::kScheduler, "new"}};
    const base::Error error = base::Thrown([&] {
      Apply({{Component::kEtcd, Pod(Component::kEtcd, c.to)},
             {Component::kScheduler, Pod(Component::kScheduler, "new")}});
    });
    EXPECT_THAT(error.message(), HasSubstr("The old manifests are back"));
    EXPECT_EQ(error.message().contains("etcd stays at"), c.told) << error.message();
    EXPECT_EQ(ImageOnDisk(Component::kEtcd), c.back);
    EXPECT_EQ(ImageOnDisk(Component::kScheduler), "old");
    // The next run can roll back only to the versions that remain after this run.
    EXPECT_THAT(record_.manifests, IsEmpty());
  }
}

TEST_F(ControlPlaneTest, KeepsAServedEtcdOfSeveralMembersIfItsApiServerFails) {
  struct Case {
    bool has_copy;  // true: a single member, whose data can be restored
    std::string back;
  };
  for (const Case& c :
       std::initializer_list<Case>{{false, "r/etcd:3.7.0"}, {true, "r/etcd:3.6.8"}}) {
    record_ = {.command = "node", .from = "v1.36.3", .to = "v1.37.2"};
    static_pods::WriteManifest(fake_.files, Component::kEtcd,
                               Pod(Component::kEtcd, "r/etcd:3.6.8"));
    static_pods::WriteManifest(fake_.files, Component::kApiServer,
                               Pod(Component::kApiServer, "old"));
    broken_ = {{Component::kApiServer, "new"}};
    const static_pods::RestartContext restart = Restart();
    PodUpgrade parts = Parts(restart);
    if (c.has_copy) {
      parts.restore_etcd_data = [] {};
    }
    const base::Error error = base::Thrown([&] {
      ApplyChanges(Plan({{Component::kEtcd, Pod(Component::kEtcd, "r/etcd:3.7.0")},
                         {Component::kApiServer, Pod(Component::kApiServer, "new")}}),
                   parts);
    });
    EXPECT_EQ(ImageOnDisk(Component::kEtcd), c.back);
    EXPECT_EQ(ImageOnDisk(Component::kApiServer), "old");
    EXPECT_EQ(error.message().contains("etcd stays at 3.7.0"), !c.has_copy) << error.message();
    EXPECT_THAT(record_.under_way, IsEmpty());
  }
}

TEST_F(ControlPlaneTest, KeepsTheNewEtcdOfSeveralMembersIfTheOldOneCannotServe) {
  static_pods::WriteManifest(fake_.files, Component::kEtcd, Pod(Component::kEtcd, "r/etcd:3.6.8"));
  broken_ = {{Component::kEtcd, "r/etcd:3.7.0"}, {Component::kEtcd, "r/etcd:3.6.8"}};
  static_pods::RestartContext restart = Restart();
  PodUpgrade parts = Parts(restart);
  parts.say = [&](const std::string& line) {
    if (line.contains("putting back the new one")) {
      broken_.clear();  // the component was only slow
    }
  };
  const base::Error error = base::Thrown([&] {
    ApplyChanges(Plan({{Component::kEtcd, Pod(Component::kEtcd, "r/etcd:3.7.0")},
                       {Component::kApiServer, Pod(Component::kApiServer, "new")}}),
                 parts);
  });
  EXPECT_THAT(error.message(), HasSubstr("etcd stays at 3.7.0"));
  EXPECT_EQ(ImageOnDisk(Component::kEtcd), "r/etcd:3.7.0");
  EXPECT_EQ(ImageOnDisk(Component::kApiServer), "old");
  EXPECT_THAT(record_.under_way, IsEmpty());
}

TEST_F(ControlPlaneTest, RestoresTheOldManifestsAfterAnyException) {
  const static_pods::RestartContext restart = Restart();
  PodUpgrade parts = Parts(restart);
  parts.say = [](const std::string& line) {
    if (line.contains("kube-scheduler\" serves")) {
      throw std::runtime_error("no memory left");
    }
  };
  const base::Error error = base::Thrown([&] { ApplyChanges(Plan(AllNew()), parts); });
  EXPECT_THAT(error.message(), HasSubstr("no memory left"));
  EXPECT_THAT(error.message(), HasSubstr("The old manifests are back"));
  EXPECT_EQ(ImageOnDisk(Component::kScheduler), "old");
  EXPECT_EQ(ImageOnDisk(Component::kApiServer), "old");
}

TEST_F(ControlPlaneTest, RestoresEtcdsDataIfTheOldEtcdCannotServeTheNewData) {
  broken_ = {{Component::kEtcd, "new"}, {Component::kEtcd, "old"}};
  bool restored = false;
  const static_pods::RestartContext restart = Restart();
  PodUpgrade parts = Parts(restart);
  parts.restore_etcd_data = [&] {
    EXPECT_FALSE(fake_.files.Exists(components::ManifestPath(Component::kEtcd)));
    EXPECT_TRUE(LoadRecord(fake_.files)->restoring_data);
    restored = true;
    broken_.clear();
  };
  EXPECT_THROW(ApplyChanges(Plan(AllNew()), parts), base::Error);
  EXPECT_TRUE(restored);
  EXPECT_FALSE(LoadRecord(fake_.files)->restoring_data);
  EXPECT_EQ(ImageOnDisk(Component::kEtcd), "old");
  EXPECT_EQ(ImageOnDisk(Component::kApiServer), "old");
  EXPECT_THAT(record_.manifests, IsEmpty());
}

TEST_F(ControlPlaneTest, KeepsEtcdsDataIfAnotherManifestRunsAnEtcdOnIt) {
  const std::string stray = "/etc/kubernetes/manifests/etcd.yaml.backup";
  fake_.files.Write(stray, static_pods::Text(Pod(Component::kEtcd, "old")), {});
  fake_.files.Write("/backup/etcd.yaml", static_pods::Text(Pod(Component::kEtcd, "old")), {});
  record_.under_way["etcd"] = "/backup";
  record_.restoring_data = true;
  const static_pods::RestartContext restart = Restart();
  PodUpgrade parts = Parts(restart);
  int restored = 0;
  parts.restore_etcd_data = [&] { ++restored; };
  EXPECT_THAT(base::MessageOf([&] { PutBack(Etcd::kPutBackWithData, parts); }),
              HasSubstr("etcd.yaml.backup"));
  EXPECT_EQ(restored, 0);
  EXPECT_TRUE(fake_.files.Exists(components::ManifestPath(Component::kEtcd)));
  EXPECT_TRUE(LoadRecord(fake_.files)->restoring_data) << "a later run goes on";
  fake_.files.Remove(stray);
  PutBack(Etcd::kPutBackWithData, parts);
  EXPECT_EQ(restored, 1);
}

TEST_F(ControlPlaneTest, ResumesAnInterruptedRestoreOfEtcdsData) {
  fake_.files.Write("/backup/etcd.yaml", static_pods::Text(Pod(Component::kEtcd, "old")), {});
  fake_.files.Remove(components::ManifestPath(Component::kEtcd));
  record_.under_way["etcd"] = "/backup";
  record_.restoring_data = true;
  const static_pods::RestartContext restart = Restart();
  PodUpgrade parts = Parts(restart);
  int restored = 0;
  parts.restore_etcd_data = [&] { ++restored; };
  PutBack(Etcd::kPutBackWithData, parts);
  EXPECT_EQ(restored, 1);
  EXPECT_EQ(ImageOnDisk(Component::kEtcd), "old");
  EXPECT_FALSE(record_.restoring_data);
}

TEST_F(ControlPlaneTest, RollsBackAnApiServerThatDoesNotServe) {
  Apply(AllNew());
  static_pods::RestartContext restart = Restart();
  restart.probe_of = [this](Component) {
    return [this](std::stop_token) -> std::optional<kube::NotYet> {
      return ImageOnDisk(Component::kApiServer) == "old" ? std::nullopt
                                                         : std::optional(kube::NotYet{"no API"});
    };
  };
  PutBack(Etcd::kLeave, Parts(restart));
  EXPECT_EQ(ImageOnDisk(Component::kScheduler), "old");
  EXPECT_THAT(record_.manifests, IsEmpty());
}

TEST_F(ControlPlaneTest, RollsBackAnEtcdThatNeverServedUnlessItServesNow) {
  fake_.files.Write("/backup/etcd.yaml", static_pods::Text(Pod(Component::kEtcd, "etcd:3.6.8")),
                    {});
  static_pods::WriteManifest(fake_.files, Component::kEtcd, Pod(Component::kEtcd, "etcd:3.7.0"));
  record_.under_way["etcd"] = "/backup";
  const static_pods::RestartContext restart = Restart();
  const auto back = [&] { return BackOfServingEtcd(Parts(restart)); };
  EXPECT_EQ(back(), Etcd::kLeave) << "it serves, in another minor version";
  broken_.insert({Component::kEtcd, "etcd:3.7.0"});
  EXPECT_EQ(back(), Etcd::kPutBack);
  record_.serving["etcd"] = true;
  EXPECT_EQ(back(), Etcd::kLeave) << "it has served";
  fake_.files.Remove(components::ManifestPath(Component::kEtcd));
  EXPECT_EQ(back(), Etcd::kPutBack) << "an earlier way back has taken its manifest away";
}

TEST_F(ControlPlaneTest, DoesNotReportARollbackOfPodsThatWereNotReplaced) {
  broken_.insert({Component::kEtcd, "old"});
  const std::vector<Replacement> wanted = {
      {Component::kEtcd, Pod(Component::kEtcd, "old")},
      {Component::kApiServer, Pod(Component::kApiServer, "new")}};
  const static_pods::RestartContext restart = Restart();
  const base::Error error =
      base::Thrown([&] { ApplyChanges(Plan(wanted, Renews::kYes), Parts(restart)); });
  EXPECT_THAT(error.message(), HasSubstr("No static Pod had been replaced"));
  EXPECT_THAT(error.message(), testing::Not(HasSubstr("are back")));
  EXPECT_EQ(record_.restarting, "");
}

TEST_F(ControlPlaneTest, NamesTheBackupIfTheRollbackFails) {
  broken_ = {{Component::kScheduler, "new"}, {Component::kScheduler, "old"}};
  const base::Error error =
      base::Thrown([&] { Apply({{Component::kScheduler, Pod(Component::kScheduler, "new")}}); });
  EXPECT_THAT(error.message(), HasSubstr("could not be restored"));
  EXPECT_THAT(error.message(), HasSubstr("/backup"));
}

TEST_F(ControlPlaneTest, ARerunKeepsTheFirstManifestForTheRollback) {
  record_.manifests["kube-scheduler"] = "/backup";
  record_.under_way = record_.manifests;
  fake_.files.Write("/backup/kube-scheduler.yaml",
                    static_pods::Text(Pod(Component::kScheduler, "first")), {});
  Apply({{Component::kScheduler, Pod(Component::kScheduler, "new")}});
  EXPECT_THAT(fake_.files.Read("/backup/kube-scheduler.yaml"), HasSubstr("image: first"));
  const static_pods::RestartContext restart = Restart();
  PutBack(Etcd::kPutBackWithData, Parts(restart));
  EXPECT_EQ(ImageOnDisk(Component::kScheduler), "first");
}

TEST_F(ControlPlaneTest, ARepeatedUpgradeRollsBackToItsOwnResult) {
  fake_.files.Write("/first/kube-scheduler.yaml",
                    static_pods::Text(Pod(Component::kScheduler, "before")), {});
  UpgradeRecord complete = record_;
  complete.complete = true;
  complete.manifests["kube-scheduler"] = "/first";
  complete.under_way = complete.manifests;
  complete.serving["kube-scheduler"] = true;
  record_ = BeginRecord(complete, record_);
  broken_.insert({Component::kScheduler, "patched"});
  const base::Error error = base::Thrown(
      [&] { Apply({{Component::kScheduler, Pod(Component::kScheduler, "patched")}}); });
  EXPECT_THAT(error.message(), HasSubstr("The old manifests are back"));
  EXPECT_EQ(ImageOnDisk(Component::kScheduler), "old");
  EXPECT_EQ(LoadRecord(fake_.files)->manifests, complete.manifests) << "a rollback is possible yet";
  EXPECT_FALSE(IsReplacing(*LoadRecord(fake_.files)));
  EXPECT_FALSE(WasCutOff(fake_.files, record_.to));
}

}  // namespace
}  // namespace control_plane
