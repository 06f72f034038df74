// SPDX-License-Identifier: Apache-2.0
#include "pki/der.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "base/error.h"
#include "pki/fake_request.h"

namespace pki::der {
namespace {

bool IsCanonical(const std::string& text) {
  try {
    RequireCanonical(text);
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

TEST(Der, AcceptsOnlyTheCanonicalEncoding) {
  const std::string zero(1, '\0');
  struct Case {
    std::string name;
    std::string element;
    bool canonical;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"true", DerOf(kBoolean, "\xFF"), true},
           {"false", DerOf(kBoolean, zero), true},
           {"true of another value", DerOf(kBoolean, "\x01"), false},
           {"boolean of no octet", DerOf(kBoolean, ""), false},
           {"boolean of two", DerOf(kBoolean, "\xFF\xFF"), false},
           {"0", DerOf(kInteger, zero), true},
           {"128", DerOf(kInteger, zero + "\x80"), true},
           {"-129", DerOf(kInteger, "\xFF\x7F"), true},
           {"number of no octet", DerOf(kInteger, ""), false},
           {"127 with a needless octet", DerOf(kInteger, zero + "\x7F"), false},
           {"-1 with a needless octet", DerOf(kInteger, "\xFF\xFF"), false},
           {"enumerated with a needless octet", DerOf(kEnumerated, zero + "\x01"), false},
           {"bits", DerOf(kBitString, "\x05\xA0"), true},
           {"no bits", DerOf(kBitString, zero), true},
           {"no bits, some of them spare", DerOf(kBitString, "\x01"), false},
           {"spare bits that are set", DerOf(kBitString, "\x05\xA1"), false},
           {"eight spare bits", DerOf(kBitString, std::string("\x08\0", 2)), false},
           {"bit string of nothing", DerOf(kBitString, ""), false},
           {"NULL", DerOf(kNull, ""), true},
           {"NULL of something", DerOf(kNull, zero), false},
           {"name of an object", DerOf(kOid, "\x55\x04\x03"), true},
           {"name with a needless octet", DerOf(kOid, "\x55\x80\x03"), false},
           {"name that is cut", DerOf(kOid, "\x55\x84"), false},
           {"octets", DerOf(kOctetString, "\x01\x02"), true},
           {"octets in pieces", DerOf(kOctetString | 0x20, DerOf(kOctetString, "x")), false},
           {"text in pieces", DerOf(kUtf8String | 0x20, DerOf(kUtf8String, "x")), false},
           {"bits in pieces", DerOf(kBitString | 0x20, DerOf(kBitString, zero)), false},
           {"end of contents", std::string(2, '\0'), false},
           {"primitive sequence", DerOf(0x10, ""), false},
           {"set in order", DerOf(kSet, DerOf(kInteger, "\x01") + DerOf(kInteger, "\x02")), true},
           {"set out of order", DerOf(kSet, DerOf(kInteger, "\x02") + DerOf(kInteger, "\x01")),
            false},
           {"set with one twice", DerOf(kSet, DerOf(kNull, "") + DerOf(kNull, "")), true},
           {"length of two octets for a short one", "\x04\x81\x01x", false},
           {"length with a needless octet", std::string("\x04\x82\0\x01x", 5), false},
           {"indefinite length", std::string("\x30\x80\0\0", 4), false},
           {"tag of several octets", std::string("\x1F\x1F\0", 3), false},
           {"cut", "\x04\x02x", false},
           {"tag of a context", DerOf(0x82, "anything"), true},
           {"tag of a context around it", DerOf(0xA0, DerOf(kBoolean, "\x01")), false},
       }) {
    EXPECT_EQ(IsCanonical(c.element), c.canonical) << c.name;
    EXPECT_EQ(IsCanonical(DerOf(kSequence, DerOf(0xA1, c.element))), c.canonical) << c.name;
  }
  EXPECT_FALSE(IsCanonical(""));
  EXPECT_FALSE(IsCanonical(DerOf(kNull, "") + DerOf(kNull, "")));
}

TEST(Der, BoundsTheDepth) {
  std::string deep = DerOf(kNull, "");
  for (int i = 0; i < 30; ++i) {
    deep = DerOf(kSequence, deep);
  }
  EXPECT_TRUE(IsCanonical(deep));
  for (int i = 0; i < 5; ++i) {
    deep = DerOf(kSequence, deep);
  }
  EXPECT_FALSE(IsCanonical(deep));
}

}  // namespace
}  // namespace pki::der
