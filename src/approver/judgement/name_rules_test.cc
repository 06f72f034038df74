// SPDX-License-Identifier: Apache-2.0
#include "judgement/name_rules.h"

#include <gtest/gtest.h>

#include "judgement/fake_cases.h"

namespace judgement {
namespace {

TEST(ForbiddenName, RefusesEachNameOfTheTable) {
  for (const char* name : {"*",
                           "*.example.com",
                           "a.*.b",
                           "a*",
                           "kubernetes",
                           "KUBERNETES",
                           "kubernetes.",
                           "kubernetes.default",
                           "kubernetes.default.svc",
                           "kubernetes.default.svc.cluster.local",
                           "kubernetes.default.svc.cluster.local..",
                           "web.shop.svc",
                           "web.shop.svc.cluster.local",
                           "web.shop.SVC.example.com",
                           "a.svc",
                           "localhost",
                           "localhost6",
                           "ip6-localhost",
                           "ip6-loopback.lan",
                           "LocalHost.",
                           "localhost.localdomain",
                           "a.localhost",
                           "10.0.0.1",
                           "127.1",
                           "0x7f.1",
                           "a.0x7F",
                           "2130706433",
                           "a.1",
                           "::1",
                           "fd00::1",
                           "0x"}) {
    EXPECT_TRUE(ForbiddenName(name)) << name;
  }
}

TEST(ForbiddenName, AllowsAllOtherNames) {
  for (const char* name : {"worker-1", "kubernetes-worker-1", "mykubernetes", "svc",
                           "svc.example.com", "web-svc.a", "a.svcs", "localhost-1", "node1.local",
                           "ip-10-0-0-1.ec2.internal", "1.example.com", "1a", "0xyz", ""}) {
    EXPECT_FALSE(ForbiddenName(name)) << name;
  }
}

TEST(ForbiddenAddress, RefusesEachAddressOfTheTable) {
  for (const char* ip :
       {"0.0.0.0", "0.1.2.3", "::", "255.255.255.255", "224.0.0.1", "239.255.255.255", "ff02::1",
        "ffff::1", "169.254.169.254", "169.254.0.1", "fe80::1", "febf::1", "::2", "::a00:1"}) {
    const net::IpAddress address = *net::IpAddress::Parse(ip);
    EXPECT_EQ(address.Text(), ip) << "canonical";
    EXPECT_TRUE(ForbiddenAddress(address)) << ip;
  }
  for (const char* ip :
       {"127.0.0.1", "::1", "10.0.0.1", "1.0.0.0", "223.255.255.255", "240.0.0.1", "128.0.0.1",
        "169.253.255.255", "fec0::1", "fd00::1", "2001:db8::1", "64:ff9b::1"}) {
    EXPECT_FALSE(ForbiddenAddress(*net::IpAddress::Parse(ip))) << ip;
  }
}

// The rules for names hold for any evidence: a Machine, an entry of a file, the present serving
// certificate.
TEST(Judge, NoInventoryAttestsForbiddenNames) {
  const std::string forbidden = "ignore serving-name-forbidden";
  const auto world = [](const std::string& source) {
    FakeWorld made = FakeWorld::Serving();
    const bool file = source == "file";
    made.machines.front().source = file ? Source::kFile : Source::kApi;
    made.machines.front().api_group = file ? "" : source;
    made.machines.front().is_entry = file;
    made.machines.front().name = "panda";
    return made;
  };
  for (const char* source : {"machine.openshift.io", "cluster.x-k8s.io", "file"}) {
    for (const char* name : {"*", "localhost", "kubernetes.default.svc", "web.shop.svc"}) {
      FakeWorld made = world(source);
      made.request.names = {{0x82, name}};
      made.machines.front().addresses = {{"Hostname", name}};
      EXPECT_EQ(made.Outcome(), forbidden) << source << " " << name;
    }
    for (const char* ip : {"169.254.169.254", "224.0.0.1", "0.0.0.0", "fe80::1", "ff02::1", "::"}) {
      FakeWorld made = world(source);
      made.request.names = {{0x87, net::IpAddress::Parse(ip)->Octets()}};
      made.machines.front().addresses = {{"InternalIP", ip}};
      EXPECT_EQ(made.Outcome(), forbidden) << source << " " << ip;
    }
    FakeWorld loopback = world(source);
    loopback.request.names = {{0x87, net::IpAddress::Parse("127.0.0.1")->Octets()}};
    loopback.machines.front().addresses = {{"InternalIP", "127.0.0.1"}};
    EXPECT_EQ(loopback.Outcome(), source == std::string("file") ? forbidden : kServingOk)
        << "upstream's recorded cases have Machines with 127.0.0.1";
  }
}

TEST(Judge, NoCertificateRenewsForbiddenNames) {
  FakeWorld world = FakeWorld::Serving();
  world.machines.clear();
  world.has_ca = true;
  world.request.names = {{0x82, "kubernetes.default.svc"}};
  world.current = CurrentCertificate{.common_name = "system:node:panda",
                                     .names = {.dns = {"kubernetes.default.svc"}},
                                     .chain_problem = {}};
  EXPECT_EQ(world.Outcome(), "ignore serving-name-forbidden");
}

}  // namespace
}  // namespace judgement
