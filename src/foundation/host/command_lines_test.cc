// SPDX-License-Identifier: Apache-2.0
#include "host/command_lines.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CommandLines, AreThoseOfProcesses) {
  FakeHost fake;
  EXPECT_THAT(CommandLines(fake.files), IsEmpty());
  fake.files.Write("/proc/7/cmdline", std::string("/usr/bin/kubelet\0--v=2\0", 23), {});
  fake.files.Write("/proc/2/cmdline", "", {});  // a thread of the kernel
  fake.files.Write("/proc/sys/cmdline", "none", {});
  EXPECT_THAT(CommandLines(fake.files), testing::SizeIs(1));
  EXPECT_THAT(CommandLineOf(fake.files, "kubelet"), ElementsAre("/usr/bin/kubelet", "--v=2"));
  EXPECT_THAT(CommandLineOf(fake.files, "etcd"), IsEmpty());
}

}  // namespace
}  // namespace host
