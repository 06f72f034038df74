// SPDX-License-Identifier: Apache-2.0
#include "net/cidr.h"

#include <gtest/gtest.h>

namespace net {
namespace {

TEST(Cidr, ContainsAddressesOfItsFamily) {
  struct Case {
    std::string network, address;
    bool inside;
  };
  for (const Case& c : std::initializer_list<Case>{{"10.0.0.0/8", "10.255.0.1", true},
                                                   {"10.0.0.0/8", "::ffff:10.255.0.1", true},
                                                   {"10.0.0.0/8", "11.0.0.1", false},
                                                   {"10.0.0.0/31", "10.0.0.1", true},
                                                   {"10.0.0.0/31", "10.0.0.2", false},
                                                   {"10.0.0.0/8", "fd00::1", false},
                                                   {"0.0.0.0/0", "10.0.0.1", true},
                                                   {"0.0.0.0/0", "::1", false},
                                                   {"::/0", "10.0.0.1", false},
                                                   {"::/0", "fd00::1", true},
                                                   {"::ffff:10.1.0.0/112", "10.1.2.3", true},
                                                   {"::ffff:10.1.0.0/112", "10.2.0.0", false},
                                                   {"::ffff:10.1.0.0/80", "10.1.0.0", false},
                                                   {"fd00::/64", "fd00::1:0:0:1", true},
                                                   {"fd00::/64", "fd00:0:0:1::1", false}}) {
    EXPECT_EQ(Cidr::Parse(c.network)->Contains(*IpAddress::Parse(c.address)), c.inside)
        << c.network << " and " << c.address;
  }
}

TEST(Cidr, OverlapsIfOneContainsTheOther) {
  const auto overlaps = [](std::string_view a, std::string_view b) {
    const bool result = Cidr::Parse(a)->Overlaps(*Cidr::Parse(b));
    EXPECT_EQ(Cidr::Parse(b)->Overlaps(*Cidr::Parse(a)), result) << a << " and " << b;
    return result;
  };
  EXPECT_TRUE(overlaps("10.0.0.0/8", "10.96.0.0/12"));
  EXPECT_TRUE(overlaps("10.96.0.0/12", "10.96.0.0/12"));
  EXPECT_FALSE(overlaps("10.96.0.0/12", "10.112.0.0/12"));
  EXPECT_FALSE(overlaps("0.0.0.0/0", "::/0"));
  EXPECT_TRUE(overlaps("fec0::/10", "fec1::/64"));
}

TEST(Cidr, CountsItsAddresses) {
  const auto nth = [](std::string_view network, std::uint32_t n) {
    const auto address = Cidr::Parse(network)->Nth(n);
    return address ? address->Text() : "none";
  };
  EXPECT_EQ(nth("10.96.0.0/12", 0), "10.96.0.0");
  EXPECT_EQ(nth("10.96.0.0/12", 10), "10.96.0.10");
  EXPECT_EQ(nth("10.0.0.0/8", 259), "10.0.1.3");
  EXPECT_EQ(nth("10.96.0.0/12", 65'541), "10.97.0.5");
  EXPECT_EQ(nth("10.0.0.0/8", 0xFFFFFF), "10.255.255.255");
  EXPECT_EQ(nth("10.0.0.0/8", 0x1000000), "none");
  EXPECT_EQ(nth("10.0.0.0/32", 1), "none");
  EXPECT_EQ(nth("255.255.255.255/32", 1), "none");
  EXPECT_EQ(nth("0.0.0.0/0", 0xFFFFFFFF), "255.255.255.255");
  EXPECT_EQ(nth("fd00::/64", 0xFFFFFFFF), "fd00::ffff:ffff");
  EXPECT_EQ(nth("fd00::fffe/127", 2), "none");
  EXPECT_EQ(nth("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128", 1), "none");
}

TEST(Cidr, ReturnsPrefixAndAddressLength) {
  const Cidr ipv4 = *Cidr::Parse("::ffff:10.1.2.3/112");
  EXPECT_FALSE(ipv4.IsIpv6());
  EXPECT_EQ(ipv4.PrefixLength(), 16);
  EXPECT_EQ(ipv4.AddressBits(), 32);
  EXPECT_EQ(ipv4, Cidr::Parse("10.1.0.0/16"));
  const Cidr ipv6 = *Cidr::Parse("::ffff:10.1.2.3/80");
  EXPECT_TRUE(ipv6.IsIpv6());
  EXPECT_EQ(ipv6.PrefixLength(), 80);
  EXPECT_EQ(ipv6.AddressBits(), 128);
}

}  // namespace
}  // namespace net
