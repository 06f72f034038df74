// SPDX-License-Identifier: Apache-2.0
#include "net/ip_address.h"

#include <gtest/gtest.h>

namespace net {
namespace {

TEST(IpAddress, EqualsItsOtherNotations) {
  const IpAddress ipv4 = *IpAddress::Parse("10.0.0.1");
  EXPECT_EQ(IpAddress::Parse("::ffff:a00:1"), ipv4);
  EXPECT_EQ(IpAddress::ParseSloppy("010.0.0.01"), ipv4);
  EXPECT_NE(IpAddress::Parse("::10.0.0.1"), ipv4);
  EXPECT_LT(*IpAddress::Parse("10.0.0.1"), *IpAddress::Parse("10.0.0.2"));
}

TEST(IpAddress, ConvertsFromAndToCertificateBytes) {
  const std::string four("\x0A\0\0\1", 4);
  const std::string mapped = std::string(10, '\0') + "\xFF\xFF" + four;
  EXPECT_EQ(IpAddress::FromBytes(four)->Text(), "10.0.0.1");
  EXPECT_EQ(IpAddress::FromBytes(mapped)->Text(), "10.0.0.1");
  EXPECT_EQ(IpAddress::Parse("10.0.0.1")->Octets(), four);
  EXPECT_EQ(IpAddress::FromBytes(std::string(15, '\0') + "\1")->Text(), "::1");
  EXPECT_EQ(IpAddress::Parse("::1")->Octets(), std::string(15, '\0') + "\1");
  for (const std::size_t size : {0U, 3U, 5U, 15U, 17U}) {
    EXPECT_FALSE(IpAddress::FromBytes(std::string(size, 'x'))) << size;
  }
}

TEST(IpAddress, RecognizesLinkLocalAddressesOfBothFamilies) {
  for (const char* text : {"169.254.0.1", "169.254.255.255", "fe80::1", "febf::1"}) {
    EXPECT_TRUE(IpAddress::Parse(text)->IsLinkLocalUnicast()) << text;
  }
  for (const char* text : {"170.254.0.1", "168.254.0.1", "169.253.0.1", "169.255.0.1", "fec0::1"}) {
    EXPECT_FALSE(IpAddress::Parse(text)->IsLinkLocalUnicast()) << text;
  }
}

TEST(IpAddress, ReadsNothingBeyondItsView) {
  // "10.0.0.0" as a substring: the character after it would make its last digit a leading zero.
  EXPECT_EQ(IpAddress::ParseSloppy(std::string_view("10.0.0.05").substr(0, 8)),
            IpAddress::Parse("10.0.0.0"));
}

TEST(IpAddress, RefusesTrailingAndOverlongText) {
  EXPECT_FALSE(IpAddress::Parse(std::string_view("10.0.0.1\0", 9)));
  EXPECT_FALSE(IpAddress::Parse(std::string_view("\0", 1)));
  EXPECT_FALSE(IpAddress::Parse("10.0.0.1\n"));
  EXPECT_FALSE(IpAddress::Parse(std::string(100, '1')));
  EXPECT_TRUE(IpAddress::ParseSloppy(std::string(100, '0') + "1.2.3.4"));
}

TEST(IpAddress, RecognizesTheBroadcastAddress) {
  EXPECT_TRUE(IpAddress::Parse("255.255.255.255")->IsBroadcast());
  EXPECT_FALSE(IpAddress::Parse("255.255.255.254")->IsBroadcast());
  EXPECT_FALSE(IpAddress::Parse("::ffff:ffff")->IsBroadcast());
}

}  // namespace
}  // namespace net
