// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace base {
namespace {

TEST(Utf8, RoundTripsTheLimitsOfEachLength) {
  for (const char32_t c :
       {U'\0', U'\x7f', U'\x80', U'\x7ff', U'\x800', U'\xffff', U'\U00010000', U'\U0010ffff'}) {
    const std::string text = EncodeUtf8(c);
    const auto decoded = DecodeUtf8(text);
    ASSERT_TRUE(decoded.has_value()) << static_cast<unsigned>(c);
    EXPECT_EQ(decoded->code_point, c);
    EXPECT_EQ(decoded->length, text.size());
  }
}

TEST(Utf8, RefusesMalformedSequences) {
  for (const char* text : {"", "\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xf8\x88\x80\x80", "\xe2\x82", "\xc3("}) {
    EXPECT_FALSE(DecodeUtf8(text).has_value()) << text;
  }
}

TEST(Utf8, EscapesInvisibleCharacters) {
  struct Case {
    std::string text, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"plain, \"quoted\" \\ text", "plain, \"quoted\" \\ text"},
           {"line\nI1121 forged] line\r\n", "line\\nI1121 forged] line\\r\\n"},
           {"\x1B[2J\a\b\t\v\f\x7F", "\\x1b[2J\\a\\b\\t\\v\\f\\x7f"},
           {std::string(1, '\0'), "\\x00"},
           {"\xC2\x85\xC2\x9B", "\\u0085\\u009b"},
           {"a\xE2\x80\xA8"
            "b\xE2\x80\xA9",
            "a\\u2028b\\u2029"},
           {"\xE2\x80\xAE"
            "gnp.exe\xE2\x80\xAC",
            "\\u202egnp.exe\\u202c"},
           {"\xE2\x81\xA6\xE2\x81\xA9\xE2\x80\x8E\xD8\x9C", "\\u2066\\u2069\\u200e\\u061c"},
           {"zero\xE2\x80\x8B\xE2\x80\x8D\xE2\x81\xA0width", "zero\\u200b\\u200d\\u2060width"},
           {"\xEF\xBB\xBF\xC2\xAD\xC2\xA0", "\\ufeff\\u00ad\\u00a0"},
           {"\xF3\xA0\x80\x81\xF3\xA0\x81\xA1", "\\U000e0001\\U000e0061"},
           {"\xEE\x80\x80\xF4\x8F\xBF\xBF", "\\ue000\\U0010ffff"},
           {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\xBC", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\xBC"},
           {"cut \xE2\x80", "cut \\xe2\\x80"},
       }) {
    EXPECT_EQ(Visible(c.text), c.want) << c.want;
  }
  EXPECT_EQ(Visible("a\n\tb\r", "\n\t"), "a\n\tb\\r");
}

}  // namespace
}  // namespace base
