// SPDX-License-Identifier: Apache-2.0
#include "backup/upgrade_backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backup/fake_node.h"
#include "backup/reader.h"
#include "base/error.h"
#include "base/fake_error.h"
#include "cri/fake_runtime.h"

namespace backup {
namespace {

using base::Error;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class UpgradeBackupTest : public NodeTest {
 protected:
  UpgradeBackupTest() {
    fake_.machine.free_disk_bytes = 1ULL << 30U;
    fake_.processes.AddExecutable("install");
    runtime_.containers.push_back(
        {.id = "e", .name = "etcd", .state = cri::Container::State::kRunning});
    runtime_.infos["e"] = R"({"pid": 7})";
    fake_.files.Write("/proc/7/root/usr/local/bin/etcdutl", "program", {});
  }

  UpgradeBackup Make() {
    // The time in file names has a resolution of seconds.
    fake_.clock.Advance(std::chrono::seconds(1));
    return MakeUpgradeBackup({.runtime = runtime_, .needed = needed_}, Input(), access_);
  }
  std::vector<std::string> Names() { return fake_.files.List(kUpgradeBackups); }

  cri::FakeRuntime runtime_;
  std::vector<std::string> needed_;
};

TEST_F(UpgradeBackupTest, IsReadableByRootAndHasTheSnapshotAndEtcdutl) {
  const UpgradeBackup made = Make();
  EXPECT_EQ(fake_.files.Stat(kUpgradeBackups)->mode, 0700U);
  EXPECT_EQ(fake_.files.Stat(made.path)->mode, 0600U);
  EXPECT_THAT(
      fake_.processes.changes(),
      Contains("install -m 0700 -- /proc/7/root/usr/local/bin/etcdutl " + made.path + ".etcdutl"));
  EXPECT_THAT(ReadManifest({.files = fake_.files, .path = made.path}).etcd.snapshot, 8 + 32);
  EXPECT_THAT(made.summary, AllOf(StartsWith(made.path), HasSubstr("not encrypted"),
                                  Not(HasSubstr("no etcdutl"))));
}

TEST_F(UpgradeBackupTest, SaysThatTheImageLacksEtcdutl) {
  fake_.files.Remove("/proc/7/root/usr/local/bin/etcdutl");
  EXPECT_THAT(Make().summary, HasSubstr("Etcd's image has no etcdutl"));
}

TEST_F(UpgradeBackupTest, SaysThatThisEtcdCannotRaiseRevisionsAndSavesNoEtcdutl) {
  etcd_->statuses.begin()->second.version = "3.5.9";
  const UpgradeBackup made = Make();
  EXPECT_THAT(made.summary, HasSubstr("etcdutl of etcd 3.5.9 cannot raise the revision"));
  EXPECT_THAT(made.summary, HasSubstr("cannot be restored from this backup on this node"));
  EXPECT_THAT(fake_.processes.changes(), Not(Contains(HasSubstr("etcdutl"))));
}

TEST_F(UpgradeBackupTest, IsSkippedWithTheReasonIfTheDiskLacksSpace) {
  fake_.machine.free_disk_bytes = 128ULL << 20U;
  const UpgradeBackup made = Make();
  EXPECT_EQ(made.path, "");
  EXPECT_THAT(made.summary, HasSubstr("has 128.0 MiB free, and 128.0 MiB are needed"));
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(UpgradeBackupTest, FailsForAnyOtherReason) {
  etcd_->statuses.clear();
  EXPECT_EQ(base::Thrown([&] { Make(); }).kind(), Error::Kind::kUnavailable);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(UpgradeBackupTest, KeepsTheNewestAndTheNeededBackups) {
  const std::string first = Make().path;
  needed_ = {first};
  const std::string second = Make().path;
  fake_.files.Write(EtcdutlOf(second), "program", {});
  for (int i = 0; i < 3; ++i) {
    Make();
  }
  EXPECT_THAT(Names(), SizeIs(4));
  EXPECT_TRUE(fake_.files.Exists(first));
  EXPECT_FALSE(fake_.files.Exists(second));
  EXPECT_FALSE(fake_.files.Exists(EtcdutlOf(second)));
}

class RestoreUpgradeDataTest : public UpgradeBackupTest {
 protected:
  RestoreUpgradeDataTest() {
    path_ = Make().path;
    fake_.files.Write(EtcdutlOf(path_), "program", {});
  }

  void Restore() { RestoreUpgradeData(fake_.host, path_, "/var/lib/etcd/member.restoring", {}); }

  host::fs::path path_;
};

TEST_F(RestoreUpgradeDataTest, RaisesTheRevisionWithTheSavedEtcdutl) {
  fake_.processes.AddExecutable(EtcdutlOf(path_));
  Restore();
  const std::string snapshot = path_.string() + ".snapshot";
  EXPECT_THAT(
      fake_.processes.changes(),
      Contains(AllOf(StartsWith(EtcdutlOf(path_).string() + " snapshot restore " + snapshot +
                                " --data-dir /var/lib/etcd/member.restoring --name cp "),
                     HasSubstr("--bump-revision 176722560"))));
  EXPECT_FALSE(fake_.files.Exists(snapshot)) << "it has every Secret";
}

TEST_F(RestoreUpgradeDataTest, DoesNotRunEtcdutlForADamagedBackup) {
  std::string content = fake_.files.Read(path_);
  content[content.size() / 2] ^= 1;
  fake_.files.Write(path_, content, {.mode = 0600});
  EXPECT_EQ(base::Thrown([&] { Restore(); }).kind(), Error::Kind::kInvalid);
  EXPECT_THAT(fake_.processes.changes(), Not(Contains(HasSubstr("snapshot restore"))));
}

TEST_F(RestoreUpgradeDataTest, NamesTheMissingProgram) {
  fake_.files.Remove(EtcdutlOf(path_));
  EXPECT_THAT(base::MessageOf([&] { Restore(); }), HasSubstr(".etcdutl does not exist"));
}

}  // namespace
}  // namespace backup
