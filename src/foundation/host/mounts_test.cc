// SPDX-License-Identifier: Apache-2.0
#include "host/mounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParseMounts, ReadsSourcesTargetsAndTypes) {
  EXPECT_THAT(
      ParseMounts("/dev/sda1 / ext4 rw 0 0\n"
                  "tmpfs /var/lib/kubelet/pods/a\\040b tmpfs rw 0 0\n"
                  "broken\n"
                  "x /a\\13 y rw 0 0\n"),
      ElementsAre(Mount{"/dev/sda1", "/", "ext4"},
                  Mount{"tmpfs", "/var/lib/kubelet/pods/a b", "tmpfs"}, Mount{"x", "/a\\13", "y"}));
  EXPECT_THAT(ParseMounts(""), IsEmpty());
}

TEST(RealMounts, IncludeTheRootAndResolveLinks) {
  RealMounts mounts;
  EXPECT_THAT(mounts.List(), testing::Contains(testing::Field(&Mount::target, fs::path("/"))));
  const TemporaryDirectory directory;
  const fs::path real = fs::canonical(directory.path());
  fs::create_directory(real / "to");
  fs::create_symlink(real / "to", real / "from");
  EXPECT_EQ(mounts.Resolve(real / "from"), real / "to");
  EXPECT_EQ(mounts.Resolve(real / "absent"), real / "absent");
}

TEST(RealMounts, CannotUnmountAnOrdinaryDirectory) {
  RealMounts mounts;
  const std::vector<std::string> flags = {"UMOUNT_NOFOLLOW"};
  const base::Error error = base::Thrown(
      [&] { EXPECT_FALSE(mounts.Unmount(TemporaryDirectory().path() / "absent", flags)); });
  EXPECT_THAT(error.message(), testing::HasSubstr("cannot unmount "));
}

}  // namespace
}  // namespace host
