// SPDX-License-Identifier: Apache-2.0
#include "kubelet/extra_args.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace kubelet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ExtraArgs, WordsOfBothPackagesFiles) {
  host::FakeHost fake;
  EXPECT_THAT(ExtraArguments(fake.files), IsEmpty());
  fake.files.Write("/etc/default/kubelet", "# mine\nKUBELET_EXTRA_ARGS=\"--v=2 --node-ip=::1\"\n",
                   {});
  fake.files.Write("/etc/sysconfig/kubelet", "OTHER=x\nKUBELET_EXTRA_ARGS=--v=3\n", {});
  EXPECT_THAT(ExtraArguments(fake.files), ElementsAre("--v=2", "--node-ip=::1", "--v=3"));
}

TEST(ExtraArgs, FilesAreThoseThatAreThere) {
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
