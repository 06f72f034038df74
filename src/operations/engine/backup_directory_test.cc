// SPDX-License-Identifier: Apache-2.0
#include "engine/backup_directory.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace engine {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(MakeDirectory, MakesADirectoryForRootAloneNamedAfterTheSecond) {
  host::FakeHost fake;
  const host::fs::path directory = MakeBackupDirectory(fake.host, "kubeadm-backup-manifests");
  EXPECT_THAT(directory.string(), StartsWith("/etc/kubernetes/tmp/kubeadm-backup-manifests-20"));
  EXPECT_EQ(fake.files.Stat(directory)->mode, 0700U);
  EXPECT_NE(MakeBackupDirectory(fake.host, "kubeadm-backup-manifests"), directory);
}

TEST(MakeDirectory, RemovesPartialFilesOfKilledRuns) {
  host::FakeHost fake;
  const host::fs::path killed = MakeBackupDirectory(fake.host, "kubeadm-config-change");
  fake.files.Write(killed / ".slipway-gKSnw6", "half", {.mode = 0600});
  fake.files.Write(killed / "config.yaml", "whole", {.mode = 0600});
  fake.files.Write(killed / "etcd/member/snap/.slipway-BqHkuM", "half", {.mode = 0600});
  fake.files.Write(killed / "etcd/member/snap/db", "whole", {.mode = 0600});
  fake.files.Write("/etc/kubernetes/tmp/.slipway-notes", "a user's", {});
  MakeBackupDirectory(fake.host, "kubeadm-backup-manifests");
  EXPECT_THAT(fake.files.List(killed), ElementsAre("config.yaml", "etcd"));
  EXPECT_THAT(fake.files.List(killed / "etcd/member/snap"), ElementsAre("db"));
  EXPECT_TRUE(fake.files.Exists("/etc/kubernetes/tmp/.slipway-notes"));
}

TEST(CopyFile, CopiesForRootAlone) {
  host::FakeHost fake;
  fake.files.MakeDirectories("/kept", 0700);
  fake.files.Write("/m/etcd.yaml", "text", {.mode = 0644});
  CopyToBackup(fake.files, "/m/etcd.yaml", "/kept");
  EXPECT_EQ(fake.files.Read("/kept/etcd.yaml"), "text");
  EXPECT_EQ(fake.files.Stat("/kept/etcd.yaml")->mode, 0600U);
}

}  // namespace
}  // namespace engine
