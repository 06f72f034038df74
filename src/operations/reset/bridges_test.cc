// SPDX-License-Identifier: Apache-2.0
#include "reset/bridges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"
#include "reset/network.h"

namespace reset {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Bridges, ComeFromCniConfigurations) {
  EXPECT_THAT(BridgesIn(R"({"plugins":[{"type":"bridge","bridge":"br7"},{"type":"portmap"}]})"),
              ElementsAre(CniBridge{.name = "br7"}));
  EXPECT_THAT(BridgesIn(R"({"type":"bridge","ipam":{"subnet":"10.1.0.0/16"}})"),
              ElementsAre(CniBridge{.name = "cni0", .subnets = {"10.1.0.0/16"}}));
  EXPECT_THAT(
      BridgesIn(
          R"({"type":"bridge","ipam":{"ranges":[[{"subnet":"10.1.0.0/16"}],[{"subnet":"fd01::/64"}]]}})"),
      ElementsAre(CniBridge{.name = "cni0", .subnets = {"10.1.0.0/16", "fd01::/64"}}));
  EXPECT_THAT(BridgesIn(R"({"plugins":[{"type":"flannel"}]})"),
              ElementsAre(CniBridge{.name = "cni0", .of_flannel = true}));
  EXPECT_THAT(BridgesIn(R"({"plugins":[{"type":"flannel","delegate":{"bridge":"f"}}]})"),
              ElementsAre(CniBridge{.name = "f", .of_flannel = true}));
  for (const char* text : {R"({"plugins":[{"type":"ptp"}]})", R"({"plugins":[)", "[]",
                           R"({"plugins":{"type":7}})", R"({"plugins":["bridge"]})"}) {
    EXPECT_THAT(BridgesIn(text), IsEmpty()) << text;
  }
}

class BridgeJudgement : public testing::Test {
 protected:
  // A machine with an unused bridge br7, created by CNI for 10.1.0.0/16.
  BridgeJudgement() {
    fake_.files.Write(
        "/etc/cni/net.d/10.conflist",
        R"({"plugins":[{"type":"bridge","bridge":"br7","ipam":{"subnet":"10.1.0.0/16"}}]})", {});
    fake_.files.MakeDirectories(Sys("bridge"), 0755);
    fake_.network.interfaces.push_back({.name = "br7", .addresses = {"10.1.0.1", "fe80::1"}});
  }
  static std::string Sys(const std::string& entry) { return "/sys/class/net/br7/" + entry; }
  std::string WhyKept() {
    const auto judged = JudgeBridges(fake_.host);
    EXPECT_EQ(judged.size(), 1U);
    return judged.empty() ? "" : judged.front().why_kept.value_or("");
  }
  std::vector<std::string>& Addresses() { return fake_.network.interfaces.back().addresses; }

  host::FakeHost fake_;
};

TEST_F(BridgeJudgement, RemovesAnUnusedBridgeOfThePlugin) {
  EXPECT_EQ(WhyKept(), "");
  EXPECT_EQ(PlanNetworkCleanup(fake_.host).size(), 1U);
}

TEST_F(BridgeJudgement, KeepsABridgeWithAPort) {
  fake_.files.MakeDirectories(Sys("brif/eth1"), 0755);
  EXPECT_THAT(WhyKept(), HasSubstr("ports eth1"));
  EXPECT_THAT(PlanNetworkCleanup(fake_.host), IsEmpty());
}

TEST_F(BridgeJudgement, KeepsABridgeWithAForeignAddress) {
  Addresses() = {"10.1.0.1", "192.168.122.1"};
  EXPECT_THAT(WhyKept(), HasSubstr("192.168.122.1"));
  Addresses() = {"10.1.0.1", "fd00::1"};
  EXPECT_THAT(WhyKept(), HasSubstr("fd00::1"));
}

TEST_F(BridgeJudgement, KeepsABridgeWithoutAnAddress) {
  Addresses() = {};
  EXPECT_NE(WhyKept(), "");
  Addresses() = {"fe80::1"};
  EXPECT_NE(WhyKept(), "");
}

TEST_F(BridgeJudgement, KeepsABridgeInUse) {
  fake_.files.MakeDirectories(Sys("upper_br7.100"), 0755);
  EXPECT_THAT(WhyKept(), HasSubstr("br7.100"));
}

TEST_F(BridgeJudgement, KeepsABridgeWithTheDefaultRoute) {
  fake_.network.default_routes = {{.interface = "br7", .ipv6 = true}};
  EXPECT_THAT(WhyKept(), HasSubstr("default route"));
}

TEST_F(BridgeJudgement, KeepsALinkThatIsNotABridge) {
  fake_.files.Remove(Sys("bridge"));
  EXPECT_THAT(WhyKept(), HasSubstr("not a bridge"));
}

TEST_F(BridgeJudgement, ReadsFlannelsSubnetsFromItsFile) {
  fake_.files.Write(
      "/etc/cni/net.d/10.conflist",
      R"({"plugins":[{"type":"flannel","delegate":{"bridge":"br7","isDefaultGateway":true}}]})",
      {});
  EXPECT_THAT(WhyKept(), HasSubstr("10.1.0.1"));
  fake_.files.Write("/run/flannel/subnet.env",
                    "FLANNEL_NETWORK=10.0.0.0/8\nFLANNEL_SUBNET=10.1.0.1/24\n", {});
  EXPECT_EQ(WhyKept(), "");
  Addresses() = {"10.2.0.1"};
  EXPECT_THAT(WhyKept(), HasSubstr("10.2.0.1")) << "of the network, not of this node";
}

}  // namespace
}  // namespace reset
