// SPDX-License-Identifier: Apache-2.0
#include "config/advertise_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"

namespace config {
namespace {

using testing::HasSubstr;

NetworkInterface Loopback(std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"127.0.0.1", "::1"});
  return {.name = "lo", .up = true, .loopback = true, .addresses = more};
}

NetworkInterface Link(const std::string& name, const std::vector<std::string>& addresses) {
  return {.name = name, .up = true, .addresses = addresses};
}

TEST(AdvertiseAddress, IsTheAddressOfTheDefaultRoute) {
  struct Case {
    std::string name;
    NetworkFacts facts;
    std::string want;
  };
  const DefaultRoute first{.interface = "eth0"};
  const DefaultRoute second{.interface = "eth1"};
  for (const Case& c : std::initializer_list<Case>{
           {"no route at all", {{Loopback(), Link("eth0", {"192.0.2.1"})}, {}}, "0.0.0.0"},
           {"first address", {{Link("eth0", {"192.0.2.1", "192.0.2.2"})}, {first}}, "192.0.2.1"},
           {"IPv4 before IPv6",
            {{Link("eth0", {"fd00::1"}), Link("eth1", {"192.0.2.1"})},
             {{.interface = "eth0", .ipv6 = true}, second}},
            "192.0.2.1"},
           {"IPv6 alone",
            {{Link("eth0", {"fe80::1", "fd00::1"})}, {{.interface = "eth0", .ipv6 = true}}},
            "fd00::1"},
           {"an unnumbered link borrows from lo",
            {{Loopback({"10.9.9.9"}), Link("eth0", {"169.254.0.1"})}, {first}},
            "10.9.9.9"},
           {"the next route when the first leads nowhere",
            {{Loopback(), Link("eth0", {}), Link("eth1", {"192.0.2.1"})}, {first, second}},
            "192.0.2.1"},
           {"a link that is down does not count",
            {{{.name = "eth0", .up = false, .addresses = {"192.0.2.9"}},
              Link("eth1", {"192.0.2.1"})},
             {first, second}},
            "192.0.2.1"}}) {
    for (const std::string requested : {"", "0.0.0.0", "::"}) {
      EXPECT_EQ(ChooseAdvertiseAddress(requested, c.facts), c.want) << c.name;
    }
  }
}

TEST(AdvertiseAddress, FailsIfNoRouteHasAnAddress) {
  const NetworkFacts facts{{Loopback(), Link("eth0", {"169.254.0.1"})}, {{.interface = "eth0"}}};
  EXPECT_THAT(base::MessageOf([&] { ChooseAdvertiseAddress("", facts); }),
              HasSubstr("unable to select an IP from default routes"));
}

TEST(AdvertiseAddress, PrefersAGlobalAddressOfTheLoopbackInterface) {
  EXPECT_EQ(ChooseAdvertiseAddress("127.0.0.1", {{Loopback({"fd00::1", "10.9.9.9"})}, {}}),
            "10.9.9.9");
  EXPECT_EQ(ChooseAdvertiseAddress("::1", {{Loopback({"fd00::1"})}, {}}), "fd00::1");
  for (const std::string address : {"127.0.0.1", "::ffff:127.0.0.1"}) {
    EXPECT_THAT(base::MessageOf([&] { ChooseAdvertiseAddress(address, {{Loopback()}, {}}); }),
                HasSubstr("lo network interface"))
        << address;
  }
}

TEST(AdvertiseAddress, KeepsTheRequestedAddress) {
  for (const std::string address : {"10.20.30.40", "224.0.0.1", "fe80::1"}) {
    EXPECT_EQ(ChooseAdvertiseAddress(address, {}), address);
  }
  EXPECT_EQ(ChooseAdvertiseAddress("010.20.30.40", {}), "10.20.30.40");
  EXPECT_EQ(ChooseAdvertiseAddress("::ffff:10.20.30.40", {}), "10.20.30.40");
  EXPECT_THAT(base::MessageOf([] { ChooseAdvertiseAddress("300.1.2.3", {}); }),
              HasSubstr("300.1.2.3"));
}

TEST(AdvertiseAddress, RequiresAGlobalAddress) {
  EXPECT_EQ(base::MessageOf([] { CheckAdvertiseAddress("192.168.0.1"); }), "");
  for (const std::string address : {"0.0.0.0", "127.0.0.1", "224.0.0.1", "169.254.0.1",
                                    "255.255.255.255", "fe80::1", "::1", "::", "ff02::1", "x"}) {
    EXPECT_THAT(base::MessageOf([&] { CheckAdvertiseAddress(address); }), HasSubstr(address));
  }
}

}  // namespace
}  // namespace config
