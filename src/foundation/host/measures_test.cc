// SPDX-License-Identifier: Apache-2.0
#include "host/measures.h"

#include <gtest/gtest.h>

#include "host/fake_host.h"

namespace host {
namespace {

TEST(SyncTime, RemovesItsTestFile) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(SyncTime(directory.path()));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(SyncTime, ReturnsNulloptIfWritingFails) {
  EXPECT_FALSE(SyncTime("/nowhere"));
  EXPECT_FALSE(SyncTime("/proc"));
}

TEST(IsClockKept, ReadsTheClockWithoutSettingIt) { EXPECT_NO_THROW(IsClockKept()); }

}  // namespace
}  // namespace host
