// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/data_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace etcd_membership {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kDatabase = "/data/member/snap/db";

TEST(LockData, KeepsEveryOtherProcessFromTheDatabase) {
  host::FakeHost fake;
  fake.files.Write(kDatabase, "", {});
  auto lock = LockData(fake.host, "/data", "copy etcd's data", {});
  ASSERT_TRUE(lock);
  EXPECT_FALSE(host::FileLock::TryExisting(fake.files, kDatabase));
  lock.reset();
  EXPECT_TRUE(host::FileLock::TryExisting(fake.files, kDatabase));
}

TEST(LockData, NamesTheDatabaseThatAnotherProcessUses) {
  host::FakeHost fake;
  fake.files.Write(kDatabase, "", {});
  const auto held = host::FileLock::TryExisting(fake.files, kDatabase);
  ASSERT_TRUE(held);
  const base::Error error =
      base::Thrown([&] { LockData(fake.host, "/data", "copy etcd's data", {}); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kConflict);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("could not copy etcd's data"),
                                     HasSubstr("fuser -v /data/member/snap/db")));
}

TEST(LockData, NeedsNoDatabase) {
  host::FakeHost fake;
  EXPECT_FALSE(LockData(fake.host, "/data", "copy etcd's data", {}));
}

}  // namespace
}  // namespace etcd_membership
