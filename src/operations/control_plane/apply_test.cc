// SPDX-License-Identifier: Apache-2.0
#include "control_plane/apply.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "cri/fake_runtime.h"
#include "etcd/fake_client.h"
#include "static_pods/static_pod.h"

namespace control_plane {
namespace {

using components::Component;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

// A node whose etcd is one of `members`. No component serves after it has been replaced.
class ApplyTest : public testing::Test {
 protected:
  ApplyTest() {
    made_.config.cluster.etcd.local->data_dir = "/var/lib/etcd";
    made_.fake.files.Write("/var/lib/etcd/member/snap/db", "data", {});
    made_.fake.processes.AddExecutable("sync");
    static_pods::WriteManifest(made_.fake.files, Component::kEtcd, Pod("old"));
  }

  static json::Value Pod(const std::string& image) {
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", "etcd"}}},
            {"spec", {{"containers", {{{"name", "etcd"}, {"image", image}}}}}}};
  }

  UpgradedNode At() {
    return {.host = made_.fake.host,
            .config = made_.config,
            .runtime = runtime_,
            .record = record_,
            .start = certs::FakeContext::kStart,
            .limit = std::chrono::milliseconds(20),
            .renews = Renews::kNo,
            .make_backup =
                [this] {
                  if (backup_fails_) {
                    throw base::Error("no member of etcd answers");
                  }
                  return fmt::format("/backups/{}", ++made_backups_);
                },
            .make_data =
                [this](const host::fs::path& backup, const host::fs::path& directory) {
                  restored_.push_back(fmt::format("{} to {}", backup.string(), directory.string()));
                  made_.fake.files.Write(directory / "member/snap/db", "restored", {});
                },
            .connect_etcd =
                [this] {
                  auto client = std::make_unique<etcd::FakeClient>();
                  prepare_(*client);
                  return client;
                },
            .say = [this](Area, const std::string& line) { lines_.push_back(line); }};
  }

  std::string Problem(PodChange::What what = PodChange::What::kReplace) {
    const PodChange change{.component = Component::kEtcd, .pod = Pod("new"), .what = what};
    return base::MessageOf([&] { Apply(std::span(&change, 1), At()); });
  }

  certs::FakeContext made_;
  cri::FakeRuntime runtime_;
  UpgradeRecord record_{.command = "apply", .from = "v1.35.4", .to = "v1.36.3"};
  std::function<void(etcd::FakeClient&)> prepare_ = [](etcd::FakeClient& client) {
    client.Start(1, "cp-one");
  };
  std::vector<std::string> lines_;
  int made_backups_ = 0;
  bool backup_fails_ = false;
  std::vector<std::string> restored_;
};

TEST_F(ApplyTest, RefusesIfEtcdWouldLoseItsMajority) {
  prepare_ = [](etcd::FakeClient& client) {
    client.Start(1, "cp-one");
    client.Start(2, "cp-two");
    client.Start(3, "cp-three");
    const std::string url = client.members.back().client_urls.front();
    client.statuses.erase(url);
  };
  EXPECT_THAT(Problem(), StartsWith("nothing was changed: "));
  EXPECT_THAT(Problem(PodChange::What::kRestart), StartsWith("nothing was changed: "));
  EXPECT_THAT(made_.fake.processes.changes(), IsEmpty());
  EXPECT_EQ(made_backups_, 0);
}

TEST_F(ApplyTest, ThisNodesMemberIsKnownByItsUrl) {
  json::Value pod = Pod("old");
  pod["spec"]["containers"][0]["command"] = {"etcd", "--name=another",
                                             "--initial-advertise-peer-urls=https://10.0.0.1:2380"};
  static_pods::WriteManifest(made_.fake.files, Component::kEtcd, pod);
  prepare_ = [](etcd::FakeClient& client) {
    client.Start(1, "another");
    client.members.back().peer_urls = {"https://10.0.0.1:2380"};
    client.Start(2, "cp-two");
    client.Start(3, "cp-three");
    client.statuses.erase(client.members.back().client_urls.front());
  };
  EXPECT_THAT(Problem(), StartsWith("nothing was changed: "));
}

TEST_F(ApplyTest, BacksUpBeforeAnyChange) {
  for (const PodChange::What what :
       {PodChange::What::kNothing, PodChange::What::kRestart, PodChange::What::kReplace}) {
    record_ = {.command = "apply", .from = "v1.35.4", .to = "v1.36.3"};
    made_backups_ = 0;
    Problem(what);
    EXPECT_EQ(made_backups_, 1);
    EXPECT_EQ(record_.backup, "/backups/1");
    EXPECT_EQ(LoadRecord(made_.fake.files)->backup_under_way, "/backups/1");
  }
}

TEST_F(ApplyTest, ReplacesNothingWithoutTheBackup) {
  backup_fails_ = true;
  EXPECT_EQ(Problem(), "no member of etcd answers");
  EXPECT_EQ(static_pods::ReadManifest(made_.fake.files, Component::kEtcd), Pod("old"));
}

TEST_F(ApplyTest, AResumedRunKeepsItsBackupAndARepeatedOneMakesAnother) {
  Problem();
  // The present data may already be the data of the new etcd.
  record_.under_way["etcd"] = "/kept";
  record_.manifests["etcd"] = "/kept";
  made_.fake.files.Write("/kept/etcd.yaml", static_pods::Text(Pod("old")), {});
  Problem();
  EXPECT_EQ(made_backups_, 1);
  // A rollback restores the state from before the present version. A failed run restores the state
  // from the beginning of this run.
  record_.under_way.clear();
  record_.manifests["etcd"] = "/kept";
  Problem();
  EXPECT_EQ(record_.backup_under_way, "/backups/2");
  EXPECT_EQ(record_.backup, "/backups/1");
}

TEST_F(ApplyTest, RestoresTheDataOfTheBackupWhenTheNewEtcdHasSpoiltThem) {
  made_.fake.processes.AddExecutable("chown");
  Problem();
  EXPECT_THAT(restored_, ElementsAre("/backups/1 to /var/lib/etcd/member.restoring"));
}

TEST_F(ApplyTest, RestoresNoDataIfTheLogIsElsewhere) {
  json::Value pod = Pod("old");
  pod["spec"]["containers"][0]["command"] = {"etcd", "--wal-dir=/var/lib/etcd-wal"};
  static_pods::WriteManifest(made_.fake.files, Component::kEtcd, pod);
  Problem();
  EXPECT_THAT(restored_, IsEmpty());
}

TEST_F(ApplyTest, ARollbackWithDataRestoresThemOnceAndKeepsEtcdsManifest) {
  made_.fake.processes.AddExecutable("chown");
  record_.backup = "/backups/1";
  base::MessageOf([&] { Undo(At(), Data::kRestore); });
  EXPECT_THAT(restored_, ElementsAre("/backups/1 to /var/lib/etcd/member.restoring"));
  EXPECT_TRUE(record_.data_restored);
  ASSERT_TRUE(record_.manifests.contains("etcd")) << "a later run writes it";
  EXPECT_EQ(KeptPod(made_.fake.files, record_, Component::kEtcd), Pod("old"));
  base::MessageOf([&] { Undo(At(), Data::kRestore); });
  EXPECT_EQ(restored_.size(), 1U);
}

TEST_F(ApplyTest, AdministratorsWithoutAFileAreSkipped) {
  made_.MakeAll();
  RenewAdministrators(At());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST(HasToRenewAdministrators, IsTrueAfterAnInterruptedRunThatReplacedPods) {
  const PodChange change{.component = Component::kScheduler, .what = PodChange::What::kReplace};
  const UpgradeRecord first{.command = "node"};
  UpgradeRecord cut_off = first;
  cut_off.under_way["kube-scheduler"] = "/etc/kubernetes/tmp/x";
  UpgradeRecord complete = cut_off;
  complete.complete = true;
  EXPECT_FALSE(HasToRenewAdministrators(first, {}));
  EXPECT_TRUE(HasToRenewAdministrators(first, std::span(&change, 1)));
  EXPECT_TRUE(HasToRenewAdministrators(cut_off, {}));
  EXPECT_FALSE(HasToRenewAdministrators(complete, {}));
  EXPECT_TRUE(HasToRenewAdministrators({.command = "apply"}, {}));
}

TEST(Changes, AreEmptyWithoutADifference) {
  PodChange change{.component = Component::kEtcd, .pod = {}};
  EXPECT_FALSE(Changes(std::span(&change, 1)));
  change.what = PodChange::What::kAwait;
  EXPECT_TRUE(Changes(std::span(&change, 1)));
}

}  // namespace
}  // namespace control_plane
