// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace base {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsAndWritesGosForm) {
  struct Case {
    std::string_view in;
    Duration want;
    std::string_view canonical;
  };
  for (const Case& c : std::initializer_list<Case>{{"0", 0s, "0s"},
                                                   {"4m0s", 4min, "4m0s"},
                                                   {"1h30m", 90min, "1h30m0s"},
                                                   {"8760h", 8760h, "8760h0m0s"},
                                                   {"-1.5h", -90min, "-1h30m0s"},
                                                   {"1.5s", 1500ms, "1.5s"},
                                                   {".5s", 500ms, "500ms"},
                                                   {"1us", 1us, "1µs"},
                                                   {"1µs", 1us, "1µs"},
                                                   {"3ns", 3ns, "3ns"},
                                                   {"+2s", 2s, "2s"},
                                                   {"1m0.5s", 60500ms, "1m0.5s"},
                                                   {"1.9ns", 1ns, "1ns"},
                                                   {"1.00000000000000000000001s", 1s, "1s"}}) {
    EXPECT_EQ(ParseDuration(c.in), c.want) << c.in;
    EXPECT_EQ(FormatDuration(c.want), c.canonical) << c.in;
  }
}

TEST(Duration, HoldsTheLargestValues) {
  EXPECT_EQ(FormatDuration(ParseDuration("2562047h47m16.854775807s")), "2562047h47m16.854775807s");
  EXPECT_EQ(FormatDuration(ParseDuration("-2562047h47m16.854775808s")),
            "-2562047h47m16.854775808s");
}

TEST(Duration, RefusesInvalidDurations) {
  for (const char* text : {"", "5", "s", "1x", "1h-2m", ".", "1.s.", "abc", "9223372036854775808ns",
                           "2562048h", "99999999999999999999h"}) {
    EXPECT_THROW(ParseDuration(text), Error) << text;
  }
}

TEST(HumanDuration, IsShortForTables) {
  struct Case {
    Duration in;
    std::string_view want;
  };
  for (const Case& c : std::initializer_list<Case>{{-2s, "<invalid>"},
                                                   {-500ms, "0s"},
                                                   {0s, "0s"},
                                                   {119s, "119s"},
                                                   {121s, "2m1s"},
                                                   {2min, "2m"},
                                                   {59min, "59m"},
                                                   {3h, "3h"},
                                                   {3h + 5min, "3h5m"},
                                                   {23h, "23h"},
                                                   {49h, "2d1h"},
                                                   {364 * 24h, "364d"},
                                                   {2 * 365 * 24h, "2y"},
                                                   {(2 * 365 + 3) * 24h, "2y3d"},
                                                   {3650 * 24h, "10y"}}) {
    EXPECT_EQ(HumanDuration(c.in), c.want) << c.in.count();
  }
}

TEST(ShortHumanDuration, HasOneUnit) {
  struct Case {
    std::chrono::seconds in;
    std::string_view want;
  };
  for (const Case& c : std::initializer_list<Case>{{-2s, "<invalid>"},
                                                   {-1s, "0s"},
                                                   {0s, "0s"},
                                                   {59s, "59s"},
                                                   {119s, "1m"},
                                                   {59min, "59m"},
                                                   {3h + 5min, "3h"},
                                                   {23h + 59min, "23h"},
                                                   {29h, "1d"},
                                                   {100h, "4d"},
                                                   {364 * 24h, "364d"},
                                                   {729 * 24h, "1y"},
                                                   {974 * 365 * 24h, "974y"}}) {
    EXPECT_EQ(ShortHumanDuration(c.in), c.want) << c.in.count();
  }
}

}  // namespace
}  // namespace base
