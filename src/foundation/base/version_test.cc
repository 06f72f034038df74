// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Version, ReadsSemanticVersions) {
  const auto version = Version::Parse("v1.36.3-rc.0+abc");
  ASSERT_TRUE(version.has_value());
  EXPECT_EQ(version->major, 1);
  EXPECT_EQ(version->minor, 36);
  EXPECT_EQ(version->patch, 3);
  EXPECT_EQ(version->pre_release, "rc.0");
  EXPECT_EQ(version->build, "abc");
  EXPECT_EQ(version->TextWithV(), "v1.36.3-rc.0+abc");
}

TEST(Version, AllowsLeadingZerosExceptInNumbersOfAPreRelease) {
  for (const char* text : {"1.2.3-0", "1.2.3-rc.10", "1.2.3-01a", "1.2.3+01"}) {
    EXPECT_TRUE(Version::Parse(text).has_value()) << text;
  }
}

TEST(Version, RefusesInvalidVersions) {
  for (const char* text : {"", "v1", "1.2", "1.2.x", "01.2.3", "1.2.3-", "1.2.3-a..b", "1.2.3 ",
                           "-1.2.3", "1.2.3+", "vv1.2.3", "1.2.3-rc.01"}) {
    EXPECT_FALSE(Version::Parse(text).has_value()) << text;
  }
}

TEST(Version, OrdersByPrecedence) {
  const char* ascending[] = {"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
                             "1.0.0-beta",  "1.0.0-beta.2",  "1.0.0-beta.11",
                             "1.0.0-rc.1",  "1.0.0",         "1.0.1",
                             "1.1.0",       "2.0.0"};
  for (std::size_t i = 0; i + 1 < std::size(ascending); ++i) {
    EXPECT_LT(*Version::Parse(ascending[i]), *Version::Parse(ascending[i + 1])) << ascending[i];
  }
  EXPECT_EQ(*Version::Parse("1.0.0+a"), *Version::Parse("v1.0.0+b"));
}

TEST(Version, GenericAcceptsKernelVersions) {
  EXPECT_EQ(*Version::ParseGeneric("6.1.0-40-amd64"), (Version{6, 1, 0, "", ""}));
  EXPECT_EQ(*Version::ParseGeneric("v1.36"), (Version{1, 36, 0, "", ""}));
  EXPECT_FALSE(Version::ParseGeneric("six").has_value());
}

}  // namespace
}  // namespace base
