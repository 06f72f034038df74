// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace base {
namespace {

using List = std::vector<std::string>;

TEST(Strings, SplitKeepsEmptyParts) {
  EXPECT_EQ(Split("a,,b", ','), (List{"a", "", "b"}));
  EXPECT_EQ(Split("", ','), (List{""}));
  EXPECT_EQ(Split(",", ','), (List{"", ""}));
}

TEST(Strings, FieldsDropEmptyParts) {
  EXPECT_EQ(Fields("  a \t b\n"), (List{"a", "b"}));
  EXPECT_EQ(Fields(" "), List{});
}

TEST(Strings, LinesSplitsAtLfAndCrlf) {
  EXPECT_EQ(Lines("a\r\nb\n\nc"), (List{"a", "b", "", "c"}));
  EXPECT_EQ(Lines("a\n"), (List{"a"}));
  EXPECT_EQ(Lines(""), List{});
}

TEST(Strings, TrimAndReplace) {
  EXPECT_EQ(Trim(" \n x y\t"), "x y");
  EXPECT_EQ(Trim(" \n"), "");
  EXPECT_EQ(ReplaceAll("a-b-c", "-", "--"), "a--b--c");
}

TEST(Strings, ToLowerLeavesOtherScriptsAlone) { EXPECT_EQ(ToLower("ÄBc"), "Äbc"); }

TEST(Strings, QuotedEscapesAsGoDoes) {
  struct Case {
    std::string_view in, want;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"plain", R"("plain")"},
                                   {"a\"b\\c", R"("a\"b\\c")"},
                                   {"tab\tline\n", R"("tab\tline\n")"},
                                   {std::string_view("\x00\x7f", 2), R"("\x00\x7f")"},
                                   {"\xff", R"("\xff")"},
                                   {"é✓", "\"é✓\""},
                                   {"\u0085", R"("\u0085")"},
                                   {"a\u2028\u202e\u200b", R"("a\u2028\u202e\u200b")"}}) {
    EXPECT_EQ(Quoted(c.in), c.want);
  }
  EXPECT_EQ(QuotedList(List{"a", "b"}), R"(["a" "b"])");
}

TEST(Hex, RoundTripsAndRefusesInvalidInput) {
  EXPECT_EQ(HexEncode("\x01\xab"), "01ab");
  EXPECT_EQ(HexDecode("01AB"), "\x01\xab");
  EXPECT_THROW(HexDecode("0"), Error);
  EXPECT_THROW(HexDecode("0g"), Error);
  EXPECT_THROW(HexDecode("g0"), Error);
}

TEST(Base64, HasTheVectorsOfRfc4648) {
  struct Case {
    std::string plain, encoded;
  };
  for (const Case& c : std::initializer_list<Case>{{"", ""},
                                                   {"f", "Zg=="},
                                                   {"fo", "Zm8="},
                                                   {"foo", "Zm9v"},
                                                   {"foob", "Zm9vYg=="},
                                                   {"fooba", "Zm9vYmE="},
                                                   {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(Base64Encode(c.plain), c.encoded);
    EXPECT_EQ(Base64Decode(c.encoded), c.plain);
  }
  EXPECT_EQ(Base64Decode("Zm9v\nYg==\n"), "foob");
}

TEST(Base64, RefusesInvalidInput) {
  for (const char* text : {"Zg", "Zg=", "Z===", "Z!==", "=Zg="}) {
    EXPECT_THROW(Base64Decode(text), Error) << text;
  }
}

TEST(Base64, UrlFormHasNoPaddingAndUsesSafeCharacters) {
  EXPECT_EQ(Base64UrlEncode("\xfb\xff\xfe?"), "-__-Pw");
}

TEST(Dns1123, AcceptsValidSubdomainsAndLabels) {
  for (const char* good : {"a", "a-b", "cp-1.example.com", "1"}) {
    EXPECT_TRUE(IsDns1123Subdomain(good)) << good;
  }
  for (const char* bad : {"", "A", "-a", "a-", "a..b", ".a", "a.", "a_b", "*.a"}) {
    EXPECT_FALSE(IsDns1123Subdomain(bad)) << bad;
  }
  EXPECT_FALSE(IsDns1123Subdomain(std::string(254, 'a')));
  EXPECT_TRUE(IsDns1123Label("a-1"));
  EXPECT_FALSE(IsDns1123Label("a.b"));
  EXPECT_FALSE(IsDns1123Label(std::string(64, 'a')));
}

}  // namespace
}  // namespace base
