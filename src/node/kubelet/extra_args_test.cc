// SPDX-License-Identifier: Apache-2.0
#include "kubelet/extra_args.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"
#include "kubelet/flags.h"

namespace kubelet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ExtraArgs, ReadsTheFilesOfBothPackages) {
  host::FakeHost fake;
  EXPECT_THAT(ExtraArguments(fake.files), IsEmpty());
  fake.files.Write("/etc/default/kubelet", "# mine\nKUBELET_EXTRA_ARGS=\"--v=2 --node-ip=::1\"\n",
                   {});
  fake.files.Write("/etc/sysconfig/kubelet", "OTHER=x\nKUBELET_EXTRA_ARGS=--v=3\n", {});
  EXPECT_THAT(ExtraArguments(fake.files), ElementsAre("--v=2", "--node-ip=::1", "--v=3"));
}

TEST(GivenFlag, ReadsFilesAndNoProcess) {
  host::FakeHost fake;
  EXPECT_EQ(GivenFlag(fake.files, "healthz-port"), std::nullopt);
  fake.files.Write(kFlagsFile, "KUBELET_KUBEADM_ARGS=\"--healthz-port 1 --v=2\"\n", {});
  EXPECT_EQ(GivenFlag(fake.files, "healthz-port"), "1");
  fake.files.Write("/etc/default/kubelet", "KUBELET_EXTRA_ARGS=--healthz-port=2\n", {});
  EXPECT_EQ(GivenFlag(fake.files, "healthz-port"), "2");
  fake.files.Write("/proc/7/cmdline", std::string("/usr/bin/kubelet\0--healthz-port\0003\0", 34),
                   {});
  EXPECT_EQ(GivenFlag(fake.files, "healthz-port"), "2") << "a process of anybody's";
}

TEST(ExtraArgs, ListsExistingFiles) {
  host::FakeHost fake;
  EXPECT_THAT(FilesOfUsers(fake.files), IsEmpty());
  for (const char* file :
       {"/etc/sysconfig/kubelet", "/etc/systemd/system/kubelet.service.d/20-b.conf",
        "/etc/systemd/system/kubelet.service.d/10-a.conf",
        "/etc/systemd/system/kubelet.service.d/10-a.conf.bak"}) {
    fake.files.Write(file, "", {});
  }
  EXPECT_THAT(
      FilesOfUsers(fake.files),
      ElementsAre("/etc/sysconfig/kubelet", "/etc/systemd/system/kubelet.service.d/10-a.conf",
                  "/etc/systemd/system/kubelet.service.d/20-b.conf"));
}

}  // namespace
}  // namespace kubelet
