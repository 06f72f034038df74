// SPDX-License-Identifier: Apache-2.0
#include "age/bech32.h"

#include <gtest/gtest.h>

namespace age {
namespace {

TEST(Bech32, ReadsTheExamplesOfBip173) {
  for (const char* text :
       {"A12UEL5L", "a12uel5l", "?1ezyfcl", "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw"}) {
    EXPECT_TRUE(DecodeBech32(text)) << text;
  }
}

TEST(Bech32, RefusesMalformedStrings) {
  for (const char* text : {"A12uEL5L", "a12uel5m", "pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v",
                           "li1dgmt3", "A1G7SGD8", "10a06t8", "1qzzfhee", ""}) {
    EXPECT_FALSE(DecodeBech32(text)) << text;
  }
}

TEST(Bech32, DecodesWhatItEncoded) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string bytes(size, static_cast<char>(0x80 + size));
    const auto decoded = DecodeBech32(EncodeBech32({.prefix = "age", .bytes = bytes}));
    ASSERT_TRUE(decoded) << size;
    EXPECT_EQ(decoded->prefix, "age");
    EXPECT_EQ(decoded->bytes, bytes);
  }
}

}  // namespace
}  // namespace age
