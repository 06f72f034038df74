// SPDX-License-Identifier: Apache-2.0
#include "upgrade/backup.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "host/file_lock.h"

namespace upgrade {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(KeepKubeletConfig, KeepsTheFirstCopyInTheRecord) {
  host::FakeHost fake;
  fake.files.Write("/var/lib/kubelet/config.yaml", "old", {});
  UpgradeRecord record{.command = "node", .from = "v1.35.4", .to = "v1.36.3"};
  KeepKubeletConfig(fake.files, "/kept/1", record);
  fake.files.Write("/var/lib/kubelet/config.yaml", "new", {});
  KeepKubeletConfig(fake.files, "/kept/2", record);
  EXPECT_EQ(fake.files.Read("/kept/2/config.yaml"), "new");
  EXPECT_EQ(LoadRecord(fake.files).value().kubelet_config, "/kept/1");
  PutBackKubeletConfig(record, fake.files);
  EXPECT_EQ(fake.files.Read("/var/lib/kubelet/config.yaml"), "old");
}

TEST(KeepProxyPatches, CopiesPatchesSoThatLaterChangesDoNotCount) {
  host::FakeHost fake;
  fake.files.Write("/given/kubeproxydaemonset0+merge.yaml", "spec: {}\n", {});
  fake.files.Write("/given/etcd.yaml", "spec: {}\n", {});
  fake.files.MakeDirectories("/given/kubeproxydaemonset.d", 0755);
  fake.files.MakeDirectories("/none", 0755);
  EXPECT_EQ(KeepProxyPatches(fake.host, ""), "");
  EXPECT_EQ(KeepProxyPatches(fake.host, "/none"), "");
  const host::fs::path kept = KeepProxyPatches(fake.host, "/given");
  EXPECT_THAT(kept.string(), StartsWith("/etc/kubernetes/tmp/kubeadm-backup-patches-"));
  EXPECT_THAT(fake.files.List(kept), ElementsAre("kubeproxydaemonset0+merge.yaml"));
  EXPECT_EQ(fake.files.Stat(kept)->mode, 0700U);
}

// Copies real files, below a temporary directory.
class EtcdDataTest : public testing::Test {
 protected:
  EtcdDataTest() {
    fake_.machine.free_disk_bytes = 1ULL << 30U;
    files_.Write(data_ / "member/snap/db", "changing", {});
    files_.Write(data_ / "member/snap/0001.snap", "raft", {});
    files_.Write(data_ / "member/snap/0002.snap.db", "of another", {});
    files_.Write(data_ / "member/wal/0.wal", "log", {});
    files_.Write(data_ / "member/wal/0.tmp", "room", {});
    files_.MakeDirectories(kept_, 0700);
  }

  void Copy() { CopyEtcdData(host_, data_, kept_); }
  // The new data directory has a database with that content.
  void Restore() {
    RestoreEtcdData(host_, {.data_dir = data_, .make = [&](const host::fs::path& directory) {
                              EXPECT_FALSE(files_.Exists(directory));
                              files_.Write(directory / "member/snap/db", "restored", {});
                            }});
  }
  std::string Read(const host::fs::path& file) { return files_.Read(file); }

  host::FakeHost fake_;
  host::TemporaryDirectory directory_;
  host::RealFiles files_;
  host::RealProcesses processes_;
  host::Host host_{files_,        processes_,    fake_.clock,   fake_.random, fake_.environment,
                   fake_.network, fake_.machine, fake_.signals, fake_.mounts};
  host::fs::path data_ = directory_.path() / "etcd";
  host::fs::path kept_ = directory_.path() / "kept";
};

TEST_F(EtcdDataTest, IsCopiedAsItIsForAStoppedMember) {
  Copy();
  EXPECT_EQ(Read(kept_ / "etcd/member/snap/db"), "changing");
  EXPECT_EQ(Read(kept_ / "etcd/member/wal/0.tmp"), "room");
}

TEST_F(EtcdDataTest, IsCopiedThroughLinks) {
  host::fs::rename(data_, directory_.path() / "elsewhere");
  host::fs::create_directory_symlink(directory_.path() / "elsewhere", data_);
  Copy();
  EXPECT_EQ(Read(kept_ / "etcd/member/snap/db"), "changing");
  EXPECT_EQ(files_.Stat(kept_ / "etcd")->kind, host::FileInfo::Kind::kDirectory);
}

TEST_F(EtcdDataTest, CopiesNothingWithoutFreeSpace) {
  fake_.machine.free_disk_bytes = 32ULL << 20U;
  EXPECT_THAT(base::MessageOf([&] { Copy(); }), HasSubstr("has 32 MiB free, 64 MiB are needed"));
  EXPECT_FALSE(files_.Exists(kept_)) << "nothing is in it";
}

TEST_F(EtcdDataTest, KeepsTheOldDataIfNewDataCannotBeMade) {
  const auto fails = [](const host::fs::path&) { throw base::Error("the snapshot is damaged"); };
  EXPECT_THAT(
      base::MessageOf([&] { RestoreEtcdData(host_, {.data_dir = data_, .make = fails}); }),
      testing::AllOf(HasSubstr("restore etcd's data in"), HasSubstr("the snapshot is damaged")));
  EXPECT_EQ(Read(data_ / "member/snap/db"), "changing");
}

TEST_F(EtcdDataTest, KeepsTheReplacedDataNextToTheRestoredOnes) {
  files_.Write(data_ / "member/snap/db", "of the new one", {});
  Restore();
  EXPECT_EQ(Read(data_ / "member/snap/db"), "restored");
  EXPECT_EQ(Read(data_ / "member.failed-upgrade/snap/db"), "of the new one");
  EXPECT_THAT(files_.List(data_), ElementsAre("member", "member.failed-upgrade"));
}

// Any process may hold the database, in a Pod of any name or outside of Pods.
TEST_F(EtcdDataTest, StaysWhileAnEtcdRunsOnTheDirectory) {
  files_.Write(data_ / "member/snap/db", "of the one that runs", {});
  auto held = host::FileLock::TryExisting(files_, data_ / "member/snap/db");
  ASSERT_TRUE(held);
  const base::Error error = base::Thrown([&] { Restore(); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kConflict);
  EXPECT_THAT(error.message(),
              testing::AllOf(HasSubstr("another process uses"), HasSubstr("fuser -v")));
  EXPECT_EQ(Read(data_ / "member/snap/db"), "of the one that runs");
  EXPECT_THAT(files_.List(data_), ElementsAre("member"));
  held.reset();
  Restore();
  EXPECT_EQ(Read(data_ / "member/snap/db"), "restored");
}

TEST_F(EtcdDataTest, IsRestoredIntoADirectoryOfAnotherUserWithThatOwner) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  files_.SetOwner(data_, 1234, 1234);
  files_.SetOwner(data_ / "member/snap/db", 1234, 1234);
  host::fs::create_directory_symlink(directory_.path(), data_ / "member.restoring");
  Restore();
  EXPECT_EQ(Read(data_ / "member/snap/db"), "restored");
  EXPECT_EQ(files_.Stat(data_)->uid, 1234U);
  EXPECT_EQ(files_.Stat(data_ / "member/snap/db")->uid, 1234U);
  EXPECT_FALSE(files_.Exists(directory_.path() / "snap")) << "nothing went through the link";
}

// Each state in which a kill may leave the directory.
TEST_F(EtcdDataTest, IsRestoredWithoutLossAfterAKillAtAnyPoint) {
  for (const char* left : {"member.restoring", "member.restored", "member.failed-upgrade"}) {
    files_.Write(data_ / left / "snap/db", std::string("in ") + left, {});
  }
  // killed between two renames, on a file system without exchange
  files_.RemoveTree(data_ / "member");
  Restore();
  EXPECT_EQ(Read(data_ / "member/snap/db"), "restored");
  EXPECT_EQ(Read(data_ / "member.failed-upgrade/snap/db"), "in member.failed-upgrade");
  EXPECT_EQ(Read(data_ / "member.failed-upgrade.2/snap/db"), "in member.restored");
  EXPECT_FALSE(files_.Exists(data_ / "member.restoring")) << "half a copy";
}

TEST(KeepKubeletConfig, KeepsTheArgumentsAsWell) {
  host::FakeHost fake;
  UpgradeRecord record;
  KeepKubeletConfig(fake.files, "/kept", record);
  EXPECT_EQ(record.kubelet_config, "") << "nothing is there";
  fake.files.Write("/var/lib/kubelet/config.yaml", "a: 1\n", {});
  fake.files.Write("/var/lib/kubelet/kubeadm-flags.env", "old", {});
  KeepKubeletConfig(fake.files, "/kept", record);
  fake.files.Write("/var/lib/kubelet/kubeadm-flags.env", "new", {});
  PutBackKubeletConfig(record, fake.files);
  EXPECT_EQ(fake.files.Read("/var/lib/kubelet/kubeadm-flags.env"), "old");
}

TEST(PutBackKubeletConfig, RestoresTheCopyOfTheRecord) {
  host::FakeHost fake;
  fake.files.Write("/var/lib/kubelet/config.yaml", "new", {});
  fake.files.Write("/kept/config.yaml", "old", {.mode = 0600});
  PutBackKubeletConfig({.kubelet_config = "/kept"}, fake.files);
  EXPECT_EQ(fake.files.Read("/var/lib/kubelet/config.yaml"), "old");
}

}  // namespace
}  // namespace upgrade
