// SPDX-License-Identifier: Apache-2.0
#include "print/quoted.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace print {
namespace {

TEST(UnescapeGo, ReadsEveryEscape) {
  EXPECT_EQ(UnescapeGo(R"(a\a\b\f\n\r\t\v\\\'\")"), "a\a\b\f\n\r\t\v\\'\"");
  EXPECT_EQ(UnescapeGo(R"(\x41\u00e9\U0001F600\101)"), "A\u00e9\U0001F600A");
  EXPECT_EQ(UnescapeGo("é"), "é");
}

TEST(UnescapeGo, RefusesOtherEscapes) {
  for (const char* text : {R"(\q)", R"(\)", R"(\x4)", R"(\xg0)", R"(\u12)", R"(\ud800)",
                           R"(\U00110000)", R"(\777)", R"(\08)"}) {
    EXPECT_THROW(UnescapeGo(text), base::Error) << text;
  }
}

}  // namespace
}  // namespace print
