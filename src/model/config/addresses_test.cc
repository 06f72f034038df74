#include "config/addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/fake_facts.h"

namespace config {
namespace {

using testing::HasSubstr;

TEST(Addresses, TellsTheFamily) {
  struct Case {
    std::string text;
    bool ip;
    bool ipv6;
  };
  for (const Case& c : std::initializer_list<Case>{{"10.0.0.1", true, false},
                                                   {"fd00::1", true, true},
                                                   {"::", true, true},
                                                   {"300.1.2.3", false, false},
                                                   {"1.2.3", false, false},
                                                   {"010.1.1.1", true, false},
                                                   {"1.2.3.", false, false},
                                                   {"1.2.3.+4", false, false},
                                                   {"::ffff:10.0.0.1", true, false},
                                                   {"fe80::1%eth0", false, false},
                                                   {"[::1]", false, false},
                                                   {"", false, false}}) {
    EXPECT_EQ(IsIp(c.text), c.ip) << c.text;
    EXPECT_EQ(IsIpv6(c.text), c.ipv6) << c.text;
  }
}

TEST(Addresses, WritesTheShortestForm) {
  EXPECT_EQ(CanonicalIp("fd00:0:0::0001"), "fd00::1");
  EXPECT_EQ(CanonicalIp("::FFFF:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(CanonicalIp("::ffff:a01:203"), "10.1.2.3");
  EXPECT_EQ(CanonicalIp("::fffe:10.1.2.3"), CanonicalIp("::fffe:a01:203"));
  EXPECT_EQ(CanonicalIp("not one"), "not one");
  EXPECT_EQ(CanonicalIp("010.00.0.1"), "10.0.0.1");
  EXPECT_EQ(CanonicalIp("::ffff:10.0.0.1"), "10.0.0.1");
}

TEST(Addresses, ClearsHostBits) {
  EXPECT_EQ(ParseCidr("10.96.7.9/12").Text(), "10.96.0.0/12");
  EXPECT_EQ(ParseCidr("fd00::ffff/112").Text(), "fd00::/112");
  EXPECT_EQ(ParseCidr("010.96.7.9/12").Text(), "10.96.0.0/12");
  EXPECT_EQ(ParseCidr("::ffff:10.1.2.3/112").Text(), "10.1.0.0/16");
  EXPECT_TRUE(ParseCidr("::ffff:10.1.2.3/80").ipv6());
  EXPECT_EQ(ParseCidrs("10.0.0.0/8,fd00::/64").size(), 2U);
}

TEST(Addresses, RefusesWhatIsNoNetwork) {
  for (const std::string text :
       {"10.96.0.0", "10.96.0.0/33", "10.96.0.0/-1", "10.96.0.0/", "x/8", "", "10.0.0.0/ 8"}) {
    EXPECT_THAT(ErrorOf([&] { ParseCidr(text); }), HasSubstr("CIDR")) << text;
  }
}

TEST(Addresses, CountsWithCarry) {
  EXPECT_EQ(AddressAt(ParseCidr("10.96.0.0/12"), 10), "10.96.0.10");
  EXPECT_EQ(AddressAt(ParseCidr("10.0.0.0/8"), 259), "10.0.1.3");
  EXPECT_EQ(AddressAt(ParseCidr("fd00::/64"), 10), "fd00::a");
}

TEST(Addresses, KnowsWhatANetworkContains) {
  const Cidr network = ParseCidr("10.0.0.0/8");
  EXPECT_TRUE(ContainsAddress(network, "10.255.0.1"));
  EXPECT_FALSE(ContainsAddress(network, "11.0.0.1"));
  EXPECT_FALSE(ContainsAddress(network, "fd00::1"));
  EXPECT_FALSE(ContainsAddress(network, "ten"));
}

TEST(Addresses, SplitsHostAndPort) {
  struct Case {
    std::string text, host, port;
  };
  for (const Case& c : std::initializer_list<Case>{{"a.example.org", "a.example.org", ""},
                                                   {"a:6443", "a", "6443"},
                                                   {"a:", "a", ""},
                                                   {"fd00::1", "fd00::1", ""},
                                                   {"[fd00::1]:99", "fd00::1", "99"},
                                                   {"[fd00::1]", "fd00::1", ""}}) {
    const HostPort got = SplitHostPort(c.text);
    EXPECT_EQ(got.host, c.host) << c.text;
    EXPECT_EQ(got.port, c.port) << c.text;
  }
  for (const std::string text : {"a:b:c", "[fd00::1", "[fd00::1]99", "https://a:1"}) {
    EXPECT_NE(ErrorOf([&] { SplitHostPort(text); }), "") << text;
  }
}

TEST(Addresses, BracketsIpv6BeforeAPort) {
  EXPECT_EQ(JoinHostPort("fd00::1", "6443"), "[fd00::1]:6443");
  EXPECT_EQ(JoinHostPort("10.0.0.1", "6443"), "10.0.0.1:6443");
}

TEST(Addresses, DerivesServiceAddresses) {
  const Networking networking{.service_subnet = "10.96.0.0/12,fd00::/112"};
  EXPECT_EQ(ApiServerServiceIp(networking), "10.96.0.1");
  EXPECT_EQ(DnsIp(networking), "10.96.0.10");
}

TEST(Addresses, NamesTheControlPlane) {
  const ApiEndpoint local{.advertise_address = "fd00::1", .bind_port = 6444};
  struct Case {
    std::string endpoint, want;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"", "https://[fd00::1]:6444"},
                                   {"lb.example.org", "https://lb.example.org:6444"},
                                   {"lb.example.org:443", "https://lb.example.org:443"}}) {
    ClusterConfiguration cluster;
    cluster.control_plane_endpoint = c.endpoint;
    EXPECT_EQ(ControlPlaneEndpointUrl(cluster, local), c.want) << c.endpoint;
  }
  EXPECT_EQ(LocalEndpointUrl(local), "https://[fd00::1]:6444");
}

}  // namespace
}  // namespace config
