// SPDX-License-Identifier: Apache-2.0
#include "reset/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"

namespace reset {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Words = std::vector<std::string>;

constexpr const char* kSaved = R"(# Generated
*nat
:PREROUTING ACCEPT [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-1 - [0:0]
:CNI-abc - [0:0]
:DOCKER - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A PREROUTING -m comment --comment "say -j KUBE-X" -j DOCKER
-A POSTROUTING -s 10.1.0.0/16 -m comment --comment "name: \"cbr0\"" -j CNI-abc
-A KUBE-SERVICES -d 10.96.0.1/32 -j KUBE-SVC-1
-A DOCKER -i docker0 -j RETURN
COMMIT
*filter
:INPUT ACCEPT [0:0]
-A INPUT -p tcp --dport 22 -j ACCEPT
COMMIT
)";

TEST(CleanedRules, RemoveTheirChainsAndTheRulesThatJumpToThem) {
  EXPECT_EQ(CleanedRules(kSaved),
            "*nat\n"
            ":KUBE-SERVICES - [0:0]\n"
            ":KUBE-SVC-1 - [0:0]\n"
            ":CNI-abc - [0:0]\n"
            "-D PREROUTING -m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES\n"
            "-D POSTROUTING -s 10.1.0.0/16 -m comment --comment \"name: \\\"cbr0\\\"\" -j CNI-abc\n"
            "-X KUBE-SERVICES\n"
            "-X KUBE-SVC-1\n"
            "-X CNI-abc\n"
            "COMMIT\n");
  EXPECT_EQ(CountChains(kSaved), 3U);
  EXPECT_EQ(CleanedRules("*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j ACCEPT\nCOMMIT\n"), "");
  EXPECT_EQ(CleanedRules(""), "");
}

TEST(KubeTables, AreTheTablesOfKubeProxy) {
  EXPECT_THAT(KubeTables("table ip kube-proxy\ntable ip6 kube-proxy\ntable inet filter\n"
                         "table ip kube-proxy-mine\n"),
              ElementsAre("ip kube-proxy", "ip6 kube-proxy"));
}

TEST(KubeSets, BeginWithItsPrefix) {
  EXPECT_THAT(KubeSets("KUBE-CLUSTER-IP\nmine\nKUBE-LOOP-BACK\nMY-KUBE-SET\n"),
              ElementsAre("KUBE-CLUSTER-IP", "KUBE-LOOP-BACK"));
}

TEST(VirtualServers, AreSelectedByTheirAddress) {
  EXPECT_THAT(VirtualServersOf("-A -t 10.96.0.1:443 -s rr\n"
                               "-a -t 10.96.0.1:443 -r 192.0.2.1:6443 -m -w 1\n"
                               "-A -u [fd00::a]:53 -s rr\n"
                               "-A -t 10.96.0.10:80 -s rr\n"
                               "-A -f 1 -s rr\n",
                               {"10.96.0.1", "fd00::a"}),
              ElementsAre(Words{"-t", "10.96.0.1:443"}, Words{"-u", "[fd00::a]:53"}));
}

class Cleanup : public testing::Test {
 protected:
  host::FakeHost fake_;
};

TEST_F(Cleanup, PlansNothingOnAMachineWithoutTraces) {
  EXPECT_THAT(PlanNetworkCleanup(fake_.host), IsEmpty());
  fake_.network.interfaces.push_back({.name = "cni0"});
  EXPECT_THAT(PlanNetworkCleanup(fake_.host), IsEmpty()) << "no CNI configuration names it";
}

TEST_F(Cleanup, PlansOnlyProvableTracesOfKubernetesAndCni) {
  fake_.processes.On("iptables-save", {.out = kSaved});
  fake_.processes.On("nft list tables", {.out = "table ip kube-proxy\n"});
  fake_.processes.On("ipset list -name", {.out = "KUBE-A\n"});
  fake_.processes.On("ipvsadm -Sn", {.out = "-A -t 10.96.0.1:443 -s rr\n"});
  fake_.network.interfaces.push_back({.name = "kube-ipvs0", .addresses = {"10.96.0.1"}});
  fake_.network.interfaces.push_back({.name = "cni0", .addresses = {"10.244.1.1", "fe80::1"}});
  fake_.files.MakeDirectories("/sys/class/net/cni0/bridge", 0755);
  fake_.files.Write("/etc/cni/net.d/10.conflist",
                    R"({"plugins":[{"type":"bridge","ipam":{"subnet":"10.244.1.0/24"}}]})", {});
  const auto steps = PlanNetworkCleanup(fake_.host);
  std::vector<std::string> commands;
  for (const NetworkStep& step : steps) {
    std::string text;
    for (const std::string& word : step.argv) {
      text += (text.empty() ? "" : " ") + word;
    }
    commands.push_back(text);
  }
  EXPECT_THAT(commands, ElementsAre("iptables-restore --noflush", "nft delete table ip kube-proxy",
                                    "ipset destroy KUBE-A", "ipvsadm -D -t 10.96.0.1:443",
                                    "ip link delete cni0", "ip link delete kube-ipvs0"));
  EXPECT_EQ(steps[0].what, "3 chains of iptables and the rules that jump to them");
  EXPECT_THAT(fake_.processes.changes(), IsEmpty());
}

TEST_F(Cleanup, ContinuesAfterAFailure) {
  fake_.processes.On("ipset destroy KUBE-A", {.exit_code = 1, .err = "in use\n"});
  fake_.processes.AddExecutable("ip");
  const std::vector<NetworkStep> steps = {
      {.what = "ipset KUBE-A", .argv = {"ipset", "destroy", "KUBE-A"}},
      {.what = "nothing", .argv = {"absent"}},
      {.what = "network link cni0", .argv = {"ip", "link", "delete", "cni0"}}};
  const auto problems = CleanNetwork(fake_.host, steps);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0], "ipset KUBE-A: in use");
  EXPECT_EQ(fake_.processes.calls().back(), "ip link delete cni0");
}

}  // namespace
}  // namespace reset
