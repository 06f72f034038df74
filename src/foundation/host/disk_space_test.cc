// SPDX-License-Identifier: Apache-2.0
#include "host/disk_space.h"

#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace host {
namespace {

using std::chrono::seconds;

TEST(CollectDiskSpace, ReturnsTheKernelsNumbers) {
  RealProcesses processes;
  const TemporaryDirectory directory;
  const std::string path = directory.path().string();
  const auto asked = CollectDiskSpace(processes, path, seconds(20));
  const auto known = DiskSpaceOf(path);
  ASSERT_TRUE(asked);
  ASSERT_TRUE(known);
  EXPECT_EQ(asked->total, known->total);
  EXPECT_EQ(asked->inodes, known->inodes);
  EXPECT_EQ(asked->file_system, known->file_system);
  EXPECT_LE(asked->available, asked->total);
  EXPECT_FALSE(CollectDiskSpace(processes, path + "/none", seconds(20)));
}

TEST(CollectDiskSpace, DoesNotWaitForADeadFileServer) {
  FakeProcesses processes;
  processes.On("stat", {.timed_out = true});
  const base::Error error = base::Thrown([&] { CollectDiskSpace(processes, "/dead", seconds(1)); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
  EXPECT_EQ(error.message(), "the file system of /dead does not answer");
  EXPECT_EQ(processes.last_options().timeout, seconds(1));
  EXPECT_TRUE(processes.changes().empty());
}

}  // namespace
}  // namespace host
