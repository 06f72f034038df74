// SPDX-License-Identifier: Apache-2.0
#include "reset/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "cri/fake_runtime.h"
#include "host/fake_host.h"
#include "host/fake_mounts.h"

namespace reset {
namespace {

using base::Error;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Mounted : public testing::Test {
 protected:
  Mounted() {
    for (const char* target :
         {"/", "/var/lib/kubelet", "/var/lib/kubelet/a", "/var/lib/kubelet/a/b",
          "/var/lib/kubelet-other", "/data/kubelet/c"}) {
      mounts_.mounts.push_back({"x", target, "tmpfs"});
    }
  }
  host::FakeMounts mounts_;
};

TEST_F(Mounted, BelowTheKubeletsDirectoryIsUnmountedLastFirst) {
  const std::vector<std::string> flags = {"MNT_FORCE", "UMOUNT_NOFOLLOW"};
  EXPECT_THAT(UnmountBelow(mounts_, "/var/lib/kubelet", flags), IsEmpty());
  EXPECT_THAT(mounts_.unmounted, ElementsAre("/var/lib/kubelet/a/b MNT_FORCE UMOUNT_NOFOLLOW",
                                             "/var/lib/kubelet/a MNT_FORCE UMOUNT_NOFOLLOW"));
  EXPECT_THAT(MountsBelow(mounts_, "/var/lib/kubelet"), IsEmpty());
}

TEST_F(Mounted, IsFoundThroughALink) {
  mounts_.links["/var/lib/kubelet"] = "/data/kubelet";
  EXPECT_THAT(MountsBelow(mounts_, "/var/lib/kubelet"), ElementsAre("/data/kubelet/c"));
}

TEST_F(Mounted, SkipsOrdinaryDirectories) {
  mounts_.not_mounted = {"/var/lib/kubelet/a/b"};
  EXPECT_THAT(UnmountBelow(mounts_, "/var/lib/kubelet", {}), ElementsAre("/var/lib/kubelet/a/b"));
  EXPECT_EQ(mounts_.unmounted.size(), 2U);
}

TEST_F(Mounted, ReportsABusyMountAndStopsUnmounting) {
  mounts_.failures["/var/lib/kubelet/a/b"] = "Device or resource busy";
  const base::Error error = base::Thrown([&] { UnmountBelow(mounts_, "/var/lib/kubelet", {}); });
  EXPECT_THAT(error.message(), HasSubstr("/var/lib/kubelet/a/b: Device or resource busy"));
  EXPECT_EQ(mounts_.unmounted.size(), 1U);
}

class Sandboxes : public testing::Test {
 protected:
  Sandboxes() {
    runtime_.sandboxes = {{.id = "1", .name = "a", .name_space = "ns"},
                          {.id = "2", .name = "b", .name_space = "ns"}};
  }
  RemovedSandboxes Remove(std::chrono::milliseconds limit = std::chrono::minutes(1)) {
    return RemoveSandboxes(runtime_, {.clock = clock_, .limit = limit, .stop = stop_.get_token()});
  }
  cri::FakeRuntime runtime_;
  host::FakeClock clock_;
  std::stop_source stop_;
};

TEST_F(Sandboxes, AreStoppedAndRemoved) {
  const RemovedSandboxes removed = Remove();
  EXPECT_EQ(removed.count, 2U);
  EXPECT_THAT(removed.problems, IsEmpty());
  EXPECT_THAT(runtime_.sandboxes, IsEmpty());
}

TEST_F(Sandboxes, AreTriedUpToFiveTimes) {
  runtime_.Fail("StopSandbox 1", Error("busy"), 4);
  EXPECT_EQ(Remove().count, 2U);
  runtime_.sandboxes = {{.id = "1", .name = "a", .name_space = "ns"}, {.id = "2"}};
  runtime_.Fail("RemoveSandbox 1", Error("stuck"), 5);
  const RemovedSandboxes removed = Remove();
  EXPECT_EQ(removed.count, 1U);
  EXPECT_THAT(removed.problems, ElementsAre("Pod ns/a (1) is left: stuck"));
}

TEST_F(Sandboxes, IgnoresSandboxesThatAreGone) {
  runtime_.Fail("StopSandbox 1", Error(Error::Kind::kNotFound, "no such sandbox"), 1);
  EXPECT_EQ(Remove().count, 2U);
}

TEST_F(Sandboxes, ReportsASilentRuntimeAsAProblem) {
  runtime_.Fail("Sandboxes", Error(Error::Kind::kUnavailable, "nobody there"), 1);
  EXPECT_THAT(Remove().problems, ElementsAre("nobody there"));
}

TEST_F(Sandboxes, AreLeftAfterTheTimeout) {
  runtime_.Fail("StopSandbox", Error("busy"), 100);
  const RemovedSandboxes removed = Remove(std::chrono::milliseconds(150));
  EXPECT_THAT(removed.problems, ElementsAre("Pod ns/a (1) is left: busy",
                                            "Pod ns/b (2) is left: there was no time left for it"));
}

TEST_F(Sandboxes, AreLeftWhenStopped) {
  runtime_.Fail("StopSandbox", Error("busy"), 100);
  stop_.request_stop();
  EXPECT_THROW(Remove(), base::Interrupted);
}

}  // namespace
}  // namespace reset
