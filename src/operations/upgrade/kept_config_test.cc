// SPDX-License-Identifier: Apache-2.0
#include "upgrade/kept_config.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace upgrade {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(KeepKubeletConfig, KeepsTheFirstCopyInTheRecord) {
  host::FakeHost fake;
  fake.files.Write("/var/lib/kubelet/config.yaml", "old", {});
  control_plane::UpgradeRecord record{.command = "node", .from = "v1.35.4", .to = "v1.36.3"};
  KeepKubeletConfig(fake.files, "/kept/1", record);
  fake.files.Write("/var/lib/kubelet/config.yaml", "new", {});
  KeepKubeletConfig(fake.files, "/kept/2", record);
  EXPECT_EQ(fake.files.Read("/kept/2/config.yaml"), "new");
  EXPECT_EQ(control_plane::LoadRecord(fake.files).value().kubelet_config, "/kept/1");
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

TEST(KeepKubeletConfig, KeepsTheArgumentsAsWell) {
  host::FakeHost fake;
  control_plane::UpgradeRecord record;
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
