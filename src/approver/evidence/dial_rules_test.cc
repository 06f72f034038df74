// SPDX-License-Identifier: Apache-2.0
#include "evidence/dial_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evidence {
namespace {

using testing::HasSubstr;

std::string ProblemOf(const std::string& ip, std::optional<std::uint16_t> port,
                      const DialRules& rules) {
  return DialProblem({.name = "panda", .addresses = {{"InternalIP", ip}}, .kubelet_port = port},
                     rules)
      .value_or("");
}

TEST(DialProblem, RefusesAddressesThatNoKubeletCanHave) {
  DialRules rules = RulesFor({"https://10.0.0.1:6443", "https://[FD00:0::1]"});
  rules.networks = {*net::Cidr::Parse("10.96.0.0/12"), *net::Cidr::Parse("fd02::/112")};
  struct Row {
    const char* ip;
    std::optional<std::uint16_t> port;
    const char* want;  // "": it is dialled
  };
  for (const Row& row : std::initializer_list<Row>{
           {"10.0.0.2", 10250, ""},
           {"fd00::2", 10250, ""},
           {"::ffff:10.0.0.2", 10250, ""},
           {"127.0.0.1", 10250, "loopback"},
           {"127.8.0.1", 10250, "loopback"},
           {"::1", 10250, "loopback"},
           {"0:0:0:0:0:0:0:1", 10250, "loopback"},
           {"::ffff:127.0.0.1", 10250, "loopback"},
           {"169.254.169.254", 80, "link-local"},
           {"::ffff:a9fe:a9fe", 80, "link-local"},
           {"FE80::1", 10250, "link-local"},
           {"fe80::1%eth0", 10250, "no internal IP address"},
           {"224.0.0.1", 10250, "multicast"},
           {"ff02::1", 10250, "multicast"},
           {"255.255.255.255", 10250, "broadcast"},
           {"0.0.0.0", 10250, "unspecified"},
           {"0.1.2.3", 10250, "unspecified"},
           {"::", 10250, "unspecified"},
           {"::127.0.0.1", 10250, "unspecified or IPv4-compatible"},
           {"fd00:0ec2::254", 80, "metadata"},
           {"FD20:CE::254", 80, "metadata"},
           {"100.100.100.200", 80, "metadata"},
           {"::ffff:168.63.129.16", 80, "metadata"},
           {"192.0.0.192", 80, "metadata"},
           {"10.96.0.1", 443, "network of Services 10.96.0.0/12"},
           {"::ffff:10.96.0.1", 443, "network of Services 10.96.0.0/12"},
           {"fd02::1", 443, "network of Services fd02::/112"},
           {"10.0.0.1", 6443, "the API server is there"},
           {"::ffff:10.0.0.1", 6443, "the API server is there"},
           {"10.0.0.1", 10250, ""},
           {"fd00::1", 443, "the API server is there"},
           {"fd00::0:1", 443, "the API server is there"},
           {"10.0.0.2", {}, "port"},
           {"", 10250, "no internal IP address"},
           {"0177.0.0.1", 10250, "no internal IP address"},
           {"2130706433", 10250, "no internal IP address"},
       }) {
    const std::string problem = ProblemOf(row.ip, row.port, rules);
    EXPECT_THAT(problem, HasSubstr(row.want)) << row.ip;
    EXPECT_EQ(problem.empty(), *row.want == '\0') << row.ip << ": " << problem;
  }
}

TEST(DialProblem, AllowsLoopbackOnlyIfTheApiServerIsOnLoopback) {
  for (const auto& [url, dialled] : std::initializer_list<std::pair<const char*, bool>>{
           {"https://127.0.0.1:6443", true},
           {"https://[::1]:6443", true},
           {"https://localhost:6443", true},
           {"https://10.0.0.1:6443", false},
           {"https://localhost.example.com:6443", false},
           {"https://127.0.0.1.example.com:6443", false},
           {"", false}}) {
    EXPECT_EQ(ProblemOf("127.0.0.1", 10250, RulesFor({url})).empty(), dialled) << url;
    EXPECT_FALSE(ProblemOf("169.254.169.254", 80, RulesFor({url})).empty()) << url;
  }
  EXPECT_FALSE(ProblemOf("127.0.0.1", 6443, RulesFor({"https://127.0.0.1:6443"})).empty());
}

TEST(DialProblem, RefusesWhileNetworksAreUnknown) {
  DialRules rules = RulesFor({"https://10.0.0.1:6443"});
  rules.problem = "not known";
  EXPECT_EQ(ProblemOf("10.0.0.2", 10250, rules), "not known");
}

TEST(ServerAddress, NormalizesTheAddressAndAddsThePort) {
  EXPECT_EQ(ServerAddress("https://[FD00:0:0::1]:6443/prefix"), "[fd00::1]:6443");
  EXPECT_EQ(ServerAddress("https://10.0.0.1"), "10.0.0.1:443");
  EXPECT_EQ(ServerAddress("https://api.example.com:6443"), "api.example.com:6443");
}

}  // namespace
}  // namespace evidence
