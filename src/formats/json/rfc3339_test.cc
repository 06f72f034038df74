// SPDX-License-Identifier: Apache-2.0
#include "json/rfc3339.h"

#include <gtest/gtest.h>

namespace json {
namespace {

TEST(Rfc3339, ReadsOffsetsAndFractions) {
  const std::pair<std::string, std::string> cases[] = {
      {"2026-01-31T23:59:59Z", "2026-01-31T23:59:59Z"},
      {"2026-01-31T23:59:59.999999Z", "2026-01-31T23:59:59Z"},
      {"2026-01-01T00:30:00+02:00", "2025-12-31T22:30:00Z"},
      {"2026-01-01T00:30:00-02:30", "2026-01-01T03:00:00Z"},
      {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
      {"1969-12-31T23:59:58Z", "1969-12-31T23:59:58Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
  };
  for (const auto& [text, want] : cases) {
    const auto time = ParseRfc3339(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(FormatRfc3339(*time), want);
  }
}

TEST(Rfc3339, RefusesOtherFormats) {
  for (const std::string text :
       {"", "2026-01-31", "2026-01-31T23:59:59", "2026-01-31 23:59:59Z", "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00+0200", "2026-01-01T00:00:00+25:00",
        "+026-01-01T00:00:00Z", "2026-1-01T00:00:00Z"}) {
    EXPECT_FALSE(ParseRfc3339(text)) << text;
  }
}

}  // namespace
}  // namespace json
