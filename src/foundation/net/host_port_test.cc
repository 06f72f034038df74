// SPDX-License-Identifier: Apache-2.0
#include "net/host_port.h"

#include <gtest/gtest.h>

namespace net {
namespace {

TEST(HostPort, AcceptsAMissingPort) {
  struct Case {
    std::string text, host, port;
  };
  for (const Case& c : std::initializer_list<Case>{{"a.example.org", "a.example.org", ""},
                                                   {"a:6443", "a", "6443"},
                                                   {"a:", "a", ""},
                                                   {"10.0.0.1", "10.0.0.1", ""},
                                                   {"fd00::1", "fd00::1", ""},
                                                   {"00fd::1", "00fd::1", ""},
                                                   {"[fd00::1]:99", "fd00::1", "99"}}) {
    EXPECT_EQ(HostPort::ParsePortOptional(c.text), (HostPort{c.host, c.port})) << c.text;
  }
}

TEST(HostPort, NamesTheDefect) {
  struct Case {
    std::string text, problem;
  };
  for (const Case& c : std::initializer_list<Case>{{"a:b:c", "too many colons in address"},
                                                   {"https://a:1", "too many colons in address"},
                                                   {"[fd00::1", "missing ']' in address"},
                                                   {"[fd00::1]", "missing port in address"},
                                                   {"[fd00::1]99", "missing port in address"},
                                                   {"[a]", "missing port in address"},
                                                   {"[x]y:1", "missing port in address"},
                                                   {"[fd00::1]:1:2", "too many colons in address"},
                                                   {"a[:1", "unexpected '[' in address"},
                                                   {"a:]", "unexpected ']' in address"}}) {
    EXPECT_EQ(HostPort::ParsePortOptional(c.text).error_or(""), c.problem) << c.text;
  }
}

TEST(HostPort, ReadsNothingBeyondItsView) {
  EXPECT_EQ(HostPort::Parse(std::string_view("[a:b]:1").substr(0, 5)).error_or(""),
            "missing port in address");
}

TEST(HostPort, PortNumberAcceptsOnlyPorts) {
  const auto number = [](const std::string& port) { return HostPort{"a", port}.PortNumber(); };
  EXPECT_EQ(number("1"), 1);
  EXPECT_EQ(number("0443"), 443);
  EXPECT_EQ(number("65535"), 65535);
  for (const std::string port : {"", "0", "65536", "+1", "-1", "http", "1 "}) {
    EXPECT_EQ(number(port), std::nullopt) << port;
  }
}

TEST(HostPort, BracketsIpv6BeforeAPort) {
  EXPECT_EQ(JoinHostPort("fd00::1", 6443), "[fd00::1]:6443");
  EXPECT_EQ(JoinHostPort("10.0.0.1", 6443), "10.0.0.1:6443");
}

}  // namespace
}  // namespace net
