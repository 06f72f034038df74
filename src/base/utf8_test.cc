#include "base/utf8.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Utf8, RoundTripsTheEdgesOfEachLength) {
  for (const char32_t c :
       {U'\0', U'\x7f', U'\x80', U'\x7ff', U'\x800', U'\xffff', U'\U00010000', U'\U0010ffff'}) {
    const std::string text = EncodeUtf8(c);
    const auto decoded = DecodeUtf8(text);
    ASSERT_TRUE(decoded.has_value()) << static_cast<unsigned>(c);
    EXPECT_EQ(decoded->code_point, c);
    EXPECT_EQ(decoded->length, text.size());
  }
}

TEST(Utf8, RefusesWhatIsNotWellFormed) {
  for (const char* text : {"", "\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xf8\x88\x80\x80", "\xe2\x82", "\xc3("}) {
    EXPECT_FALSE(DecodeUtf8(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace base
