// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace base {
namespace {

TEST(Number, ParsesOnlyAWholeString) {
  EXPECT_EQ(ParseNumber("0042"), 42);
  EXPECT_EQ(ParseNumber("-7"), -7);
  for (const char* text : {"", " 1", "1 ", "+1", "1.0", "0x1", "-", "2147483648"}) {
    EXPECT_FALSE(ParseNumber(text)) << text;
  }
  EXPECT_FALSE(ParseNumber<unsigned>("-1"));
  EXPECT_EQ(ParseNumber<std::int64_t>("2147483648"), 2147483648);
}

TEST(Number, AcceptsPortsFrom1To65535) {
  EXPECT_EQ(ParsePort("1"), 1);
  EXPECT_EQ(ParsePort("65535"), 65535);
  for (const char* text : {"", "0", "-1", "65536", "http"}) {
    EXPECT_FALSE(ParsePort(text)) << text;
  }
}

}  // namespace
}  // namespace base
