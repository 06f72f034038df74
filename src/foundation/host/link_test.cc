// SPDX-License-Identifier: Apache-2.0
#include "host/link.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace host {
namespace {

TEST(ReplaceByLink, ReplacesAFileOrALink) {
  FakeHost fake;
  fake.files.Write("/d/one", "1", {});
  fake.files.Write("/d/two", "2", {});
  fake.files.Write("/d/current", "old", {});
  for (const char* target : {"one", "two"}) {
    ReplaceByLink(fake.files, "/d/current", target);
    EXPECT_EQ(fake.files.Stat("/d/current")->kind, FileInfo::Kind::kLink);
    EXPECT_EQ(fake.files.Read("/d/current"), fake.files.Read(fs::path("/d") / target));
  }
  EXPECT_THAT(fake.files.List("/d"), testing::ElementsAre("current", "one", "two"));
}

TEST(ReplaceByLink, NamesTheCauseOfAFailure) {
  FakeHost fake;
  EXPECT_THROW(ReplaceByLink(fake.files, "/none/current", "one"), base::Error);
}

}  // namespace
}  // namespace host
