// SPDX-License-Identifier: Apache-2.0
#include "yaml/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace yaml {
namespace {

using Kind = Scalar::Kind;

TEST(YamlScalar, ReadsNullAndBooleansOfYaml11) {
  for (const std::string text : {"", "~", "null", "Null", "NULL"}) {
    EXPECT_EQ(ResolveScalar(text).kind, Kind::kNull) << text;
  }
  for (const std::string text :
       {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"}) {
    EXPECT_EQ(ResolveScalar(text).kind, Kind::kBool) << text;
    EXPECT_TRUE(ResolveScalar(text).boolean) << text;
  }
  for (const std::string text :
       {"n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"}) {
    EXPECT_EQ(ResolveScalar(text).kind, Kind::kBool) << text;
    EXPECT_FALSE(ResolveScalar(text).boolean) << text;
  }
  EXPECT_EQ(ResolveScalar("<<").kind, Kind::kMerge);
}

TEST(YamlScalar, ReadsOtherScalarsAsStrings) {
  for (const std::string text : {"nULL",
                                 "tRUE",
                                 "oN",
                                 "nil",
                                 "=",
                                 "a",
                                 "_1",
                                 "0x",
                                 "0b2",
                                 "0o8",
                                 "0xg",
                                 "+",
                                 "-",
                                 ".",
                                 ".e5",
                                 "+_",
                                 "-.",
                                 "1e",
                                 "1e400",
                                 "0x1FFFFFFFFFFFFFFFF",
                                 "-0xFFFFFFFFFFFFFFFF",
                                 "inf",
                                 "NaN",
                                 "1:30",
                                 "12:30:45",
                                 "._00",
                                 ".0_",
                                 ".1__0",
                                 ".5.",
                                 "é",
                                 "1.5.2",
                                 "--1",
                                 "0x-1"}) {
    EXPECT_EQ(ResolveScalar(text).kind, Kind::kString) << text;
  }
}

TEST(YamlScalar, ReadsIntegersOfFourBases) {
  const std::pair<std::string, std::int64_t> cases[] = {
      {"0", 0},
      {"00", 0},
      {"12", 12},
      {"+12", 12},
      {"-12", -12},
      {"1_000", 1000},
      {"1__0", 10},
      {"1_", 1},
      {"-_1", -1},
      {"017", 15},
      {"-017", -15},
      {"0_7", 7},
      {"0o17", 15},
      {"0O17", 15},
      {"-0o17", -15},
      {"0x1F", 31},
      {"0X1f", 31},
      {"0x1_F", 31},
      {"-0x10", -16},
      {"0b101", 5},
      {"-0b11", -3},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
  };
  for (const auto& [text, want] : cases) {
    const Scalar got = ResolveScalar(text);
    EXPECT_EQ(got.kind, Kind::kInt) << text;
    EXPECT_EQ(got.integer, want) << text;
  }
}

TEST(YamlScalar, ReadsFloatsAndIntegersBeyond64Bits) {
  const std::pair<std::string, double> cases[] = {
      {"1.5", 1.5},
      {"5.", 5},
      {".5", 0.5},
      {"+.5", 0.5},
      {"-.5", -0.5},
      {"1e3", 1000},
      {"1E3", 1000},
      {"1.e3", 1000},
      {"1.5e-3", 0.0015},
      {"1_000.5", 1000.5},
      {".0_10", 0.01},
      {"08", 8},
      {"089", 89},
      {"1e-400", 0},
      {"9223372036854775808", 9223372036854775808.0},
      {"18446744073709551616", 18446744073709551616.0},
      {"-9223372036854775809", -9223372036854775808.0},
      {"0xFFFFFFFFFFFFFFFF", 18446744073709551615.0},
  };
  for (const auto& [text, want] : cases) {
    const Scalar got = ResolveScalar(text);
    EXPECT_EQ(got.kind, Kind::kFloat) << text;
    EXPECT_EQ(got.number, want) << text;
  }
  EXPECT_EQ(ResolveScalar(".inf").number, std::numeric_limits<double>::infinity());
  EXPECT_EQ(ResolveScalar("-.Inf").number, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(ResolveScalar(".NaN").number));
}

TEST(YamlScalar, RefusesTimestampsOfImpossibleDates) {
  for (const std::string text :
       {"2020-01-01", "2020-2-3", "2020-2-3T1:2:3Z", "2020-2-3t01:02:03.5Z", "2020-2-3 01:02:03",
        "2020-01-01  01:02:03", "2020-02-03T01:02:03,5Z", "2020-02-03T01:02:03+24:60",
        "0000-01-01"}) {
    EXPECT_EQ(ResolveScalar(text).kind, Kind::kTimestamp) << text;
  }
  for (const std::string text :
       {"2020-02-30", "2020-13-01", "2020-1-32", "02020-01-01", "2020-2-3 01:02:03Z",
        "2020-2-3T01:02:03", "2020-02-03T01:02:03.Z", "2020-02-03T01:02:03+0100",
        "2020-02-03T01:02:03+25:00", "2020-01-01T24:00:00Z", "2020-02-03T001:02:03Z",
        "2020-02-03T01:02:03z"}) {
    EXPECT_EQ(ResolveScalar(text).kind, Kind::kString) << text;
  }
}

TEST(YamlScalar, NeedsQuotesForStringsThatReadAsAnotherType) {
  for (const std::string text : {"", "yes", "null", "12", "0x1F", "1e3", ".inf", "2020-01-01",
                                 "12:30", "12:30:45", "-1:59", "+1_0:5.", "1:5.5_", "1:6"}) {
    EXPECT_TRUE(NeedsQuotes(text)) << text;
  }
  for (const std::string text : {"a", "=", "<<", "0x", "1:60", "1:5.x", ":5", "a:b",
                                 "1:5:", "1:", "v1.36.3", "10.96.0.0/12"}) {
    EXPECT_FALSE(NeedsQuotes(text)) << text;
  }
}

TEST(YamlScalar, ReturnsTheNamesOfTags) {
  EXPECT_EQ(TagOf(Kind::kNull), "!!null");
  EXPECT_EQ(TagOf(Kind::kTimestamp), "!!timestamp");
  EXPECT_EQ(TagOf(Kind::kString), "!!str");
}

}  // namespace
}  // namespace yaml
