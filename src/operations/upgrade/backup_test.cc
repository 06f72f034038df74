// SPDX-License-Identifier: Apache-2.0
#include "upgrade/backup.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace upgrade {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(MakeBackupDirectory, IsNamedAfterTheSecondAndForRootAlone) {
  host::FakeHost fake;
  const host::fs::path directory = MakeBackupDirectory(fake.host, kManifestsBackup);
  EXPECT_THAT(directory.string(), StartsWith("/etc/kubernetes/tmp/kubeadm-backup-manifests-20"));
  EXPECT_EQ(fake.files.Stat(directory)->mode, 0700U);
  EXPECT_NE(MakeBackupDirectory(fake.host, kManifestsBackup), directory);
}

TEST(MakeBackupDirectory, TakesTheHalfFilesOfKilledRunsAway) {
  host::FakeHost fake;
  const host::fs::path cut_off = MakeBackupDirectory(fake.host, "kubeadm-config-change");
  fake.files.Write(cut_off / ".slipway-gKSnw6", "half", {.mode = 0600});
  fake.files.Write(cut_off / "config.yaml", "whole", {.mode = 0600});
  fake.files.Write("/etc/kubernetes/tmp/.slipway-notes", "a user's", {});
  MakeBackupDirectory(fake.host, kManifestsBackup);
  EXPECT_THAT(fake.files.List(cut_off), ElementsAre("config.yaml"));
  EXPECT_TRUE(fake.files.Exists("/etc/kubernetes/tmp/.slipway-notes"));
}

TEST(KeepFile, CopiesForRootAlone) {
  host::FakeHost fake;
  fake.files.MakeDirectories("/kept", 0700);
  fake.files.Write("/m/etcd.yaml", "text", {.mode = 0644});
  KeepFile(fake.files, "/m/etcd.yaml", "/kept");
  EXPECT_EQ(fake.files.Read("/kept/etcd.yaml"), "text");
  EXPECT_EQ(fake.files.Stat("/kept/etcd.yaml")->mode, 0600U);
}

TEST(KeepKubeletConfig, TheRecordRemembersTheFirstCopy) {
  host::FakeHost fake;
  fake.files.Write("/var/lib/kubelet/config.yaml", "old", {});
  Record record{.command = "node", .from = "v1.35.4", .to = "v1.36.3"};
  KeepKubeletConfig(fake.files, "/kept/1", record);
  fake.files.Write("/var/lib/kubelet/config.yaml", "new", {});
  KeepKubeletConfig(fake.files, "/kept/2", record);
  EXPECT_EQ(fake.files.Read("/kept/2/config.yaml"), "new");
  EXPECT_EQ(LoadRecord(fake.files).value().kubelet_config, "/kept/1");
  PutBackKubeletConfig(record, fake.files);
  EXPECT_EQ(fake.files.Read("/var/lib/kubelet/config.yaml"), "old");
}

TEST(KeepProxyPatches, CopiesThemSoThatNobodyCanChangeThem) {
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

class EtcdDataTest : public testing::Test {
 protected:
  EtcdDataTest() {
    fake_.files.Write("/var/lib/etcd/member/snap/db", std::string(1 << 20, 'x'), {});
    fake_.files.MakeDirectories("/kept", 0700);
    fake_.processes.AddExecutable("cp");
    fake_.processes.AddExecutable("mv");
  }
  host::FakeHost fake_;
};

TEST_F(EtcdDataTest, IsCopiedWhereThereIsRoom) {
  fake_.machine.free_disk_bytes = 1ULL << 30U;
  CopyEtcdData(fake_.host, "/var/lib/etcd", "/kept");
  EXPECT_THAT(fake_.processes.calls(),
              ElementsAre("cp -aL --reflink=auto -- /var/lib/etcd /kept/etcd"));
}

TEST_F(EtcdDataTest, WithoutRoomNothingIsCopied) {
  fake_.machine.free_disk_bytes = 32ULL << 20U;
  const base::Error error =
      base::Thrown([&] { CopyEtcdData(fake_.host, "/var/lib/etcd", "/kept"); });
  EXPECT_THAT(error.message(), HasSubstr("/kept has 32 MiB free, 65 MiB are needed"));
  EXPECT_THAT(fake_.processes.calls(), IsEmpty());
  EXPECT_FALSE(fake_.files.Exists("/kept")) << "nothing is in it";
}

TEST_F(EtcdDataTest, ComesBackBesideWhatWasThere) {
  fake_.files.Write("/kept/etcd/member/snap/db", "old", {});
  RestoreEtcdData(fake_.host, "/kept", "/var/lib/etcd");
  EXPECT_THAT(fake_.processes.calls(),
              ElementsAre("cp -a -- /kept/etcd/member /var/lib/etcd/member.restoring",
                          "mv -- /var/lib/etcd/member /var/lib/etcd/member.failed-upgrade",
                          "mv -- /var/lib/etcd/member.restoring /var/lib/etcd/member"));
}

TEST_F(EtcdDataTest, WhatLiesAsideStays) {
  fake_.files.Write("/kept/etcd/member/snap/db", "old", {});
  fake_.files.Write("/var/lib/etcd/member.failed-upgrade/snap/db", "earlier", {});
  fake_.files.Write("/var/lib/etcd/member.restoring/snap/db", "half", {});
  RestoreEtcdData(fake_.host, "/kept", "/var/lib/etcd");
  EXPECT_THAT(
      fake_.processes.calls(),
      testing::Contains("mv -- /var/lib/etcd/member /var/lib/etcd/member.failed-upgrade.2"));
  EXPECT_FALSE(fake_.files.Exists("/var/lib/etcd/member.restoring"));
}

TEST_F(EtcdDataTest, ACopyThatFailsIsAnErrorWithTheReason) {
  fake_.machine.free_disk_bytes = 1ULL << 30U;
  fake_.processes.On("cp", {.exit_code = 1, .err = "cp: read error"});
  fake_.files.Write("/kept/etcd.yaml", "", {});
  fake_.files.Write("/kept/etcd/member/snap/db", "half", {});
  const base::Error error =
      base::Thrown([&] { CopyEtcdData(fake_.host, "/var/lib/etcd", "/kept"); });
  EXPECT_THAT(error.message(), HasSubstr("cp: read error"));
  EXPECT_FALSE(fake_.files.Exists("/kept/etcd"));
  EXPECT_TRUE(fake_.files.Exists("/kept/etcd.yaml"));
}

TEST(KeepKubeletConfig, KeepsTheArgumentsAsWell) {
  host::FakeHost fake;
  Record record;
  KeepKubeletConfig(fake.files, "/kept", record);
  EXPECT_EQ(record.kubelet_config, "") << "nothing is there";
  fake.files.Write("/var/lib/kubelet/config.yaml", "a: 1\n", {});
  fake.files.Write("/var/lib/kubelet/kubeadm-flags.env", "old", {});
  KeepKubeletConfig(fake.files, "/kept", record);
  fake.files.Write("/var/lib/kubelet/kubeadm-flags.env", "new", {});
  PutBackKubeletConfig(record, fake.files);
  EXPECT_EQ(fake.files.Read("/var/lib/kubelet/kubeadm-flags.env"), "old");
}

TEST(PutBackKubeletConfig, TakesTheCopyOfTheRecord) {
  host::FakeHost fake;
  fake.files.Write("/var/lib/kubelet/config.yaml", "new", {});
  fake.files.Write("/kept/config.yaml", "old", {.mode = 0600});
  PutBackKubeletConfig({.kubelet_config = "/kept"}, fake.files);
  EXPECT_EQ(fake.files.Read("/var/lib/kubelet/config.yaml"), "old");
}

}  // namespace
}  // namespace upgrade
