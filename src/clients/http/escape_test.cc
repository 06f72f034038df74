// SPDX-License-Identifier: Apache-2.0
#include "http/escape.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace http {
namespace {

TEST(Escape, EscapesCharactersThatEndASegmentOrAValue) {
  EXPECT_EQ(EscapeSegment("kubeadm:get-nodes"), "kubeadm:get-nodes");
  EXPECT_EQ(EscapeSegment("a/b?c d%"), "a%2Fb%3Fc%20d%25");
  EXPECT_EQ(EscapeQuery("a=b,c&d"), "a%3Db%2Cc%26d");
  EXPECT_EQ(EscapeQuery("é"), "%C3%A9");
}

TEST(Escape, RefusesDotSegments) {
  EXPECT_THROW(EscapeSegment("."), base::Error);
  EXPECT_THROW(EscapeSegment(".."), base::Error);
  EXPECT_EQ(EscapeSegment("..."), "...");
}

TEST(Unescape, ReversesEscapeAndNothingElse) {
  EXPECT_EQ(Unescape("no%20such: %C3%A9%0a"), "no such: é\n");
  EXPECT_EQ(Unescape("100%"), "100%");
  EXPECT_EQ(Unescape("%4"), "%4");
  EXPECT_EQ(Unescape("%zz%-1%+1%"), "%zz%-1%+1%");
  EXPECT_EQ(Unescape(""), "");
}

TEST(HasControl, RecognizesControlCharacters) {
  for (const std::string text : {"", "a b\tc", "\xC3\xA9\xFF"}) {
    EXPECT_FALSE(HasControl(text)) << text;
  }
  for (const std::string& text : {std::string("a\r"), std::string("\n"), std::string("a\0b", 3),
                                  std::string("\x7f"), std::string("\x1b[")}) {
    EXPECT_TRUE(HasControl(text)) << text;
  }
}

}  // namespace
}  // namespace http
