// SPDX-License-Identifier: Apache-2.0
#include "base/wrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HangingIndent, IndentsEveryLineAfterTheFirst) {
  EXPECT_EQ(HangingIndent("a\nb\n\tc\n  d\n\ne\n"), "a\n\tb\n\tc\n  d\n\n\te\n");
  EXPECT_EQ(HangingIndent("one line"), "one line");
}

TEST(PageWidth, FollowsTheTerminalWithinBounds) {
  EXPECT_EQ(PageWidth(0), 100U);  // not a terminal
  EXPECT_EQ(PageWidth(200), 100U);
  EXPECT_EQ(PageWidth(80), 80U);
  EXPECT_EQ(PageWidth(7), 40U);
}

TEST(Wrap, BreaksLinesAtBlanks) {
  EXPECT_THAT(Wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrap("one\ntwo  three", 20), ElementsAre("one", "two three"));
  EXPECT_THAT(Wrap("a-word-too-long b", 4), ElementsAre("a-word-too-long", "b"));
  EXPECT_THAT(Wrap("see --other", 5), ElementsAre("see --other"));
  EXPECT_THAT(Wrap("", 5), IsEmpty());
}

}  // namespace
}  // namespace base
