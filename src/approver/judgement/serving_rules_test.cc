// SPDX-License-Identifier: Apache-2.0
// Serving certificates: names, addresses, machines, renewal, egress addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judgement/fake_cases.h"
#include "judgement/judge.h"
#include "judgement/names.h"

namespace judgement {
namespace {

using pki::FakeKey;

TEST(Judge, ComparesServingNamesWithTheMachineInCanonicalForm) {
  struct Row {
    std::string asked, known, want;
  };
  const std::string odd = "ignore name-not-canonical";
  const std::string everybodys = "ignore serving-name-forbidden";
  for (const Row& row : std::initializer_list<Row>{
           {"panda", "panda", kServingOk},
           {"PANDA", "panda", odd},
           {"panda", "PANDA", kServingOk},
           {"panda.", "panda", odd},
           {"panda", "panda.", kServingOk},
           {"panda.", "panda.", odd},
           {"panda..", "panda", kExhausted},
           {"panda", "panda..", kExhausted},
           {".panda", "panda", kExhausted},
           {"panda ", "panda", kExhausted},
           {"pand", "panda", kExhausted},
           {"pandas", "panda", kExhausted},
           {"*.panda", "a.panda", everybodys},
           {"*", "panda", everybodys},
           {"panda", "*", kExhausted},
           {"kelvin",
            "\xE2\x84\xAA"
            "elvin",
            kExhausted},
           {"s", "\xC5\xBF", kExhausted},
           {"panda", "", kExhausted},
           {".", "", kExhausted},
           {".", ".", kExhausted},
       }) {
    FakeWorld world = FakeWorld::Serving();
    world.request.names = {{0x82, row.asked}};
    for (const char* type : {"InternalDNS", "ExternalDNS", "Hostname"}) {
      world.machines.front().addresses = {{type, row.known}};
      EXPECT_EQ(world.Outcome(), row.want) << row.asked << " for " << row.known;
    }
    for (const char* type : {"InternalIP", "ExternalIP", "hostname", ""}) {
      world.machines.front().addresses = {{type, row.known}};
      EXPECT_EQ(world.Outcome(), row.want == everybodys ? everybodys : kExhausted) << type;
    }
  }
}

TEST(Judge, ComparesServingAddressesByValue) {
  struct Row {
    std::string asked, known;
    bool same;
  };
  const std::string ten("\x0A\0\0\1", 4);
  const std::string mapped("\0\0\0\0\0\0\0\0\0\0\xFF\xFF\x0A\0\0\1", 16);
  const std::string db8("\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
  for (const Row& row : std::initializer_list<Row>{
           {ten, "10.0.0.1", true},
           {mapped, "10.0.0.1", true},
           {ten, "::ffff:10.0.0.1", true},
           {ten, "::ffff:a00:1", true},
           {db8, "2001:db8::1", true},
           {db8, "2001:DB8::1", true},
           {db8, "2001:0db8:0000:0000:0000:0000:0000:0001", true},
           {db8, "[2001:db8::1]", false},
           {db8, "2001:db8::1%eth0", false},
           {ten, "10.0.0.01", false},
           {ten, "10.0.0.1/32", false},
           {ten, " 10.0.0.1", false},
           {ten, "10.0.0.2", false},
           {ten, "", false},
           {ten, "167772161", false},
       }) {
    FakeWorld world = FakeWorld::Serving();
    world.request.names = {{0x87, row.asked}};
    for (const char* type : {"InternalIP", "ExternalIP"}) {
      world.machines.front().addresses = {{type, row.known}};
      EXPECT_EQ(world.Outcome(), row.same ? kServingOk : kExhausted) << row.known;
    }
    world.machines.front().addresses = {{"InternalDNS", row.known}};
    EXPECT_EQ(world.Outcome(), kExhausted) << row.known;
  }
}

TEST(Judge, AcceptsServingRequestsOnlyFromTheNodeItself) {
  const auto groups = [](std::vector<std::string> list) {
    return [=](FakeWorld& w) { w.csr.groups = list; };
  };
  Check(
      FakeWorld::Serving,
      {{"no prefix", [](FakeWorld& w) { w.csr.username = "panda"; }, kNotServing},
       {"prefix only", [](FakeWorld& w) { w.csr.username = "system:node:"; }, kNotServing},
       {"another node", [](FakeWorld& w) { w.csr.username = "system:node:bear"; },
        "ignore serving-cn-mismatch"},
       {"other case", [](FakeWorld& w) { w.csr.username = "system:node:Panda"; },
        "ignore serving-cn-mismatch"},
       {"one group", groups({"system:nodes"}), "ignore serving-too-few-groups"},
       {"no groups", groups({}), "ignore serving-too-few-groups"},
       {"nodes twice", groups({"system:nodes", "system:nodes"}), "ignore serving-group-missing"},
       {"not authenticated", groups({"system:nodes", "x"}), "ignore serving-group-missing"},
       {"not of the nodes", groups({"system:authenticated", "x"}), "ignore serving-group-missing"},
       {"more groups", groups({"a", "system:nodes", "system:authenticated"}), kServingOk}});
}

TEST(Judge, RequiresTheMachineOfTheNodeForServing) {
  const auto first = [](const Spoil& change) {
    return [=](FakeWorld& w) {
      FakeWorld other = FakeWorld::Serving();
      change(other);
      w.machines.insert(w.machines.begin(), other.machines.front());
    };
  };
  Check(
      FakeWorld::Serving,
      {{"none", [](FakeWorld& w) { w.machines.clear(); }, kExhausted},
       {"without a node", [](FakeWorld& w) { w.machines.front().node_ref.reset(); }, kExhausted},
       {"of another node", [](FakeWorld& w) { w.machines.front().node_ref = "bear"; }, kExhausted},
       {"nodeRef in other case", [](FakeWorld& w) { w.machines.front().node_ref = "Panda"; },
        kExhausted},
       {"no addresses", [](FakeWorld& w) { w.machines.front().addresses.clear(); }, kExhausted},
       {"being deleted", [](FakeWorld& w) { w.machines.front().deleting = true; }, kServingOk},
       {"the first decides", first([](FakeWorld& w) { w.machines.front().addresses.clear(); }),
        kExhausted},
       {"two alike", first([](FakeWorld&) {}), kServingOk},
       {"the first is being deleted",
        first([](FakeWorld& w) { w.machines.front().deleting = true; }), kServingOk},
       {"network unknown",
        [](FakeWorld& w) {
          w.machines.clear();
          w.network = std::unexpected("404");
        },
        "retry serving-egress-lookup-failed"},
       {"clients disabled", [](FakeWorld& w) { w.policy.client_disabled = true; }, kServingOk}});
}

FakeWorld Renewing() {
  FakeWorld world = FakeWorld::Serving();
  world.machines.clear();
  world.has_ca = true;
  world.current = CurrentCertificate{.common_name = "system:node:panda",
                                     .names = {.dns = {"panda.local", "panda"},
                                               .emails = {},
                                               .uris = {},
                                               .ips = {"fd00::1", "10.0.0.1"},
                                               .others = {}},
                                     .chain_problem = {}};
  return world;
}

TEST(Judge, RenewsTheNamesOfTheCertificateInUse) {
  const std::string ok = "approve serving-renewal-ok";
  const auto current = [](FakeWorld& w) -> CurrentCertificate& { return **w.current; };
  Check(
      Renewing,
      {{"the same names in another order", [](FakeWorld&) {}, ok},
       {"no bundle", [](FakeWorld& w) { w.has_ca = false; }, kExhausted},
       {"not dialled yet", [](FakeWorld& w) { w.current.reset(); }, "wants 1"},
       {"no answer", [](FakeWorld& w) { w.current = std::unexpected("x"); }, kExhausted},
       {"not trusted", [&](FakeWorld& w) { current(w).chain_problem = "x"; }, kExhausted},
       {"of another node", [&](FakeWorld& w) { current(w).common_name = "system:node:x"; },
        kExhausted},
       {"a name more", [](FakeWorld& w) { w.request.names.push_back({0x82, "x"}); }, kExhausted},
       {"a name twice", [](FakeWorld& w) { w.request.names.push_back({0x82, "panda"}); },
        kExhausted},
       {"a name less", [](FakeWorld& w) { w.request.names.pop_back(); }, kExhausted},
       {"other case", [&](FakeWorld& w) { current(w).names.dns = {"Panda", "panda.local"}; },
        kExhausted},
       {"the same mail address on both sides",
        [&](FakeWorld& w) {
          current(w).names.emails = {"a@b"};
          w.request.names.push_back({0x81, "a@b"});
        },
        "ignore serving-san-kind"},
       {"weak key", [](FakeWorld& w) { w.request.key = FakeKey::kRsa1024; }, "ignore key-too-weak"},
       {"switched off", [](FakeWorld& w) { w.policy.renewal = Policy::Renewal::kOff; }, kExhausted},
       {"without machine, there is none",
        [](FakeWorld& w) { w.policy.renewal = Policy::Renewal::kWithoutMachine; }, ok},
       {"without machine, there is one that does not attest",
        [](FakeWorld& w) {
          w.policy.renewal = Policy::Renewal::kWithoutMachine;
          w.machines = FakeWorld::Serving().machines;
          w.machines.front().addresses.clear();
        },
        kExhausted},
       {"the certificate comes first",
        [](FakeWorld& w) { w.machines = FakeWorld::Serving().machines; }, ok},
       {"the machine comes first where it is cheaper",
        [](FakeWorld& w) {
          w.policy.order = Policy::Order::kCheapest;
          w.machines = FakeWorld::Serving().machines;
          w.current.reset();
        },
        kServingOk}});
}

TEST(Judge, TakesEgressAddressesFromTheHostSubnet) {
  const std::string ok = "approve serving-renewal-egress-ok";
  const auto world = [] {
    FakeWorld w = Renewing();
    w.request.names.push_back({0x87, std::string("\x63\0\1\1", 4)});  // 99.0.1.1
    w.network = "OpenShiftSDN";
    w.host_subnet = Egress{.ips = {"99.0.1.1"}, .cidrs = {}};
    return w;
  };
  const auto cidrs = [](std::vector<std::string> list) {
    return [=](FakeWorld& w) { w.host_subnet = Egress{.ips = {}, .cidrs = list}; };
  };
  Check(
      world,
      {{"by address", [](FakeWorld&) {}, ok},
       {"by mapped address", [](FakeWorld& w) { (*w.host_subnet)->ips = {"::ffff:99.0.1.1"}; }, ok},
       {"by range", cidrs({"99.0.1.0/24"}), ok},
       {"by range with host bits", cidrs({"99.0.1.77/24"}), ok},
       {"by exact range", cidrs({"99.0.1.1/32"}), ok},
       {"by mapped range", cidrs({"::ffff:99.0.1.0/120"}), ok},
       {"second range", cidrs({"1.0.0.0/8", "99.0.0.0/15"}), ok},
       {"outside", cidrs({"99.0.2.0/24"}), kExhausted},
       {"length 0", cidrs({"0.0.0.0/0"}), kExhausted},
       {"length 0 with host bits", cidrs({"99.0.1.1/0"}), kExhausted},
       {"all of IPv6", cidrs({"::/0"}), kExhausted},
       {"all mapped ones", cidrs({"::ffff:0:0/96"}), kExhausted},
       {"length 1", cidrs({"0.0.0.0/1"}), ok},
       {"no range", cidrs({"99.0.1.0"}), kExhausted},
       {"one of them unreadable", cidrs({"99.0.1.0/24", "x/8"}), kExhausted},
       {"too long", cidrs({"99.0.1.0/33"}), kExhausted},
       {"negative", cidrs({"99.0.1.0/-1"}), kExhausted},
       {"an address that cannot be read",
        [](FakeWorld& w) { (*w.host_subnet)->ips = {"x", "99.0.1.1"}; }, ok},
       {"fewer addresses", [](FakeWorld& w) { w.request.names.erase(w.request.names.begin() + 2); },
        ok},
       {"another DNS name", [](FakeWorld& w) { w.request.names.push_back({0x82, "x"}); },
        kExhausted},
       {"no HostSubnet", [](FakeWorld& w) { w.host_subnet = std::unexpected("404"); }, kExhausted},
       {"not looked up", [](FakeWorld& w) { w.host_subnet.reset(); }, "wants 3"},
       {"network not looked up", [](FakeWorld& w) { w.network.reset(); }, "wants 2"},
       {"another network", [](FakeWorld& w) { w.network = "openshiftsdn"; }, kExhausted},
       {"no certificate", [](FakeWorld& w) { w.current = std::unexpected("x"); }, kExhausted}});
}

TEST(Judge, AcceptsOvnEgressIps) {
  const auto world = [] {
    FakeWorld w = Renewing();
    w.request.names.push_back({0x87, std::string("\x63\0\1\1", 4)});
    w.network = "OVNKubernetes";
    w.policy.ovn_egress = true;
    w.egress_ips = Egress{.ips = {"99.0.1.1"}, .cidrs = {}};
    return w;
  };
  const auto by_machine = [](FakeWorld& w) {
    w.has_ca = false;
    w.current.reset();
    w.machines = FakeWorld::Serving().machines;
  };
  Check(world,
        {{"by certificate", [](FakeWorld&) {}, "approve serving-renewal-egress-ok"},
         {"by machine", by_machine, "approve serving-machine-egress-ok"},
         {"not the node's", [](FakeWorld& w) { (*w.egress_ips)->ips = {"99.0.1.2"}; }, kExhausted},
         {"not looked up", [](FakeWorld& w) { w.egress_ips.reset(); }, "wants 4"},
         {"not enabled", [](FakeWorld& w) { w.policy.ovn_egress = false; }, kExhausted}});
}

TEST(Holds, IsFalseForNetworksOfPrefixLengthZero) {
  const auto holds = [](const char* network, const char* ip) {
    return Holds(*net::Cidr::Parse(network), *net::IpAddress::Parse(ip));
  };
  EXPECT_TRUE(holds("10.0.0.0/31", "10.0.0.1"));
  EXPECT_FALSE(holds("10.0.0.0/31", "10.0.0.2"));
  EXPECT_TRUE(holds("2001:db8::/64", "2001:db8::5"));
  EXPECT_TRUE(holds("0.0.0.0/1", "10.0.0.1"));
  EXPECT_FALSE(holds("0.0.0.0/0", "10.0.0.1"));
  EXPECT_FALSE(holds("::/0", "2001:db8::5"));
  EXPECT_FALSE(holds("::/8", "10.0.0.1"));
}

}  // namespace
}  // namespace judgement
