// SPDX-License-Identifier: Apache-2.0
#include "control_plane/etcd_data.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "host/file_lock.h"

namespace control_plane {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

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
  // Restores data whose database has the content "restored".
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

// A process holds the lock on the database. Restore must refuse and change nothing, and succeed
// once the lock is released.
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

// Covers each state in which a kill may leave the directory.
TEST_F(EtcdDataTest, IsRestoredWithoutLossAfterAKillAtAnyPoint) {
  for (const char* left : {"member.restoring", "member.restored", "member.failed-upgrade"}) {
    files_.Write(data_ / left / "snap/db", std::string("in ") + left, {});
  }
  // The state after a kill between two renames, on a file system without atomic exchange.
  files_.RemoveTree(data_ / "member");
  Restore();
  EXPECT_EQ(Read(data_ / "member/snap/db"), "restored");
  EXPECT_EQ(Read(data_ / "member.failed-upgrade/snap/db"), "in member.failed-upgrade");
  EXPECT_EQ(Read(data_ / "member.failed-upgrade.2/snap/db"), "in member.restored");
  EXPECT_FALSE(files_.Exists(data_ / "member.restoring")) << "half a copy";
}

}  // namespace
}  // namespace control_plane
