// SPDX-License-Identifier: Apache-2.0
#include "config/addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"

namespace config {
namespace {

using testing::HasSubstr;

TEST(Addresses, AcceptAnEndpointWithoutPort) {
  EXPECT_EQ(ReadEndpoint("fd00::1"), (net::HostPort{"fd00::1", ""}));
  EXPECT_EQ(ReadEndpoint("a:6443"), (net::HostPort{"a", "6443"}));
  EXPECT_THAT(base::MessageOf([] { ReadEndpoint("a:b:c"); }),
              HasSubstr("address a:b:c: too many colons"));
}

TEST(Addresses, DeriveServiceAddresses) {
  const Networking networking{.service_subnet = "10.96.0.0/12,fd00::/112"};
  EXPECT_EQ(ApiServerServiceIp(networking).Text(), "10.96.0.1");
  EXPECT_EQ(DnsIp(networking).Text(), "10.96.0.10");
  EXPECT_EQ(DnsIp({.service_subnet = "010.96.0.0/12"}).Text(), "10.96.0.10");
  EXPECT_THAT(base::MessageOf([] { DnsIp({.service_subnet = "10.96.0.0/29"}); }),
              HasSubstr("too small"));
  EXPECT_THAT(base::MessageOf([] { DnsIp({.service_subnet = "services"}); }), HasSubstr("CIDR"));
}

TEST(Addresses, BuildTheControlPlaneUrl) {
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
