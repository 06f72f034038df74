// SPDX-License-Identifier: Apache-2.0
#include "cli/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(ParseBool, AcceptsTheSpellingsOfGo) {
  for (const char* text : {"1", "t", "T", "true", "True", "TRUE"}) {
    EXPECT_TRUE(ParseBool(text)) << text;
  }
  for (const char* text : {"0", "f", "F", "false", "False", "FALSE"}) {
    EXPECT_FALSE(ParseBool(text)) << text;
  }
  for (const char* text : {"", "yes", "tRUE", " true", "2"}) {
    EXPECT_THROW(ParseBool(text), base::Error) << text;
  }
}

TEST(ParseInteger, AcceptsPrefixesSignsAndUnderscores) {
  struct Case {
    const char* text;
    std::int64_t want;
  };
  for (const Case& c : std::initializer_list<Case>{{"0", 0},
                                                   {"6443", 6443},
                                                   {"-5", -5},
                                                   {"+7", 7},
                                                   {"0x1F", 31},
                                                   {"0X1f", 31},
                                                   {"-0x10", -16},
                                                   {"0b101", 5},
                                                   {"0o17", 15},
                                                   {"017", 15},
                                                   {"1_000", 1000},
                                                   {"0x_1F", 31},
                                                   {"2147483647", 2147483647},
                                                   {"-2147483648", -2147483648}}) {
    EXPECT_EQ(ParseInteger(c.text, 32), c.want) << c.text;
  }
}

TEST(ParseInteger, RefusesInvalidNumbers) {
  for (const char* text : {"", "https", "1.5", " 5", "5 ", "0x", "0b2", "09", "1__0", "_1", "1_",
                           "--1", "0x-1", "1e3", "+", "-"}) {
    const base::Error error = base::Thrown([&] { ParseInteger(text, 32); });
    EXPECT_THAT(error.message(), HasSubstr("is not a whole number")) << text;
  }
}

TEST(ParseInteger, RefusesNumbersOutOfRange) {
  struct Case {
    const char* text;
    int bits;
  };
  for (const Case& c : std::initializer_list<Case>{{"2147483648", 32},
                                                   {"-2147483649", 32},
                                                   {"99999999999", 32},
                                                   {"9223372036854775808", 64},
                                                   {"99999999999999999999999", 64}}) {
    const base::Error error = base::Thrown([&] { ParseInteger(c.text, c.bits); });
    EXPECT_THAT(error.message(), HasSubstr("out of range")) << c.text;
  }
  EXPECT_EQ(ParseInteger("9223372036854775807", 64), INT64_MAX);
  EXPECT_EQ(ParseInteger("-9223372036854775808", 64), INT64_MIN);
}

TEST(ParseDecimal, AcceptsNoPrefixes) {
  EXPECT_EQ(ParseDecimal("010", 32), 10);
  EXPECT_EQ(ParseDecimal("-1", 32), -1);
  EXPECT_THROW(ParseDecimal("0x1", 32), base::Error);
  EXPECT_THROW(ParseDecimal("1_0", 32), base::Error);
  EXPECT_THROW(ParseDecimal("=", 32), base::Error);
  EXPECT_THROW(ParseDecimal("9999999999", 32), base::Error);
}

TEST(ParseList, SplitsAtCommasOutsideOfQuotes) {
  EXPECT_THAT(ParseList(""), IsEmpty());
  EXPECT_THAT(ParseList("a"), ElementsAre("a"));
  EXPECT_THAT(ParseList("a,b"), ElementsAre("a", "b"));
  EXPECT_THAT(ParseList(","), ElementsAre("", ""));
  EXPECT_THAT(ParseList("a, b"), ElementsAre("a", " b"));
  EXPECT_THAT(ParseList(R"("a,b",c)"), ElementsAre("a,b", "c"));
  EXPECT_THAT(ParseList(R"("say ""hi""")"), ElementsAre("say \"hi\""));
  EXPECT_THAT(ParseList(R"("")"), ElementsAre(""));
}

TEST(ParseList, ReadsTheFirstLineOnly) {
  EXPECT_THAT(ParseList("a,b\nc"), ElementsAre("a", "b"));
  EXPECT_THAT(ParseList("a,\"b\nc\""), ElementsAre("a", "b\nc"));
  EXPECT_THROW(ParseList("\n"), base::Error);
}

TEST(ParseList, RefusesStrayQuotes) {
  for (const char* text : {"a\"b", "\"a\"b", "\"a", "a,b\""}) {
    EXPECT_THROW(ParseList(text), base::Error) << text;
  }
}

TEST(ParsePairs, RequiresAnEqualsSignInEachPair) {
  EXPECT_THAT(ParsePairs("a=1,b=2"), ElementsAre(Pair("a", "1"), Pair("b", "2")));
  EXPECT_THAT(ParsePairs("a=, b=2"), ElementsAre(Pair("a", ""), Pair(" b", "2")));
  for (const char* text : {"", "a", "a,b", "a=b=c", "a=b,", "a=b,c"}) {
    EXPECT_THROW(ParsePairs(text), base::Error) << text;
  }
}

}  // namespace
}  // namespace cli
