// SPDX-License-Identifier: Apache-2.0
#include "judgement/node_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judgement/fake_cases.h"
#include "pki/request.h"

namespace judgement {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kNodeOk = "approve serving-node-ok";
const std::string kNotOwn = "retry serving-name-not-own";
const std::string kReserved = "retry serving-name-reserved";
const std::string kTaken = "retry serving-name-taken";
const std::string kChanged = "retry serving-address-changed";
const std::string kNotAllowed = "retry serving-address-not-allowed";
const std::string kUnknown = "retry serving-cluster-unknown";
const std::string kForbidden = "ignore serving-name-forbidden";

// Makes the node write the name into its status and request it.
Spoil AskedAndWritten(const std::string& name) {
  return [=](FakeWorld& w) {
    const bool ip = net::IpAddress::Parse(name).has_value();
    w.request.names.emplace_back(ip ? 0x87 : 0x82,
                                 ip ? net::IpAddress::Parse(name)->Octets() : name);
    for (const char* type :
         {"Hostname", "InternalDNS", "ExternalDNS", "InternalIP", "ExternalIP"}) {
      w.machines.front().addresses.push_back({type, name});
    }
  };
}

Spoil Both(const Spoil& first, const Spoil& second) {
  return [=](FakeWorld& w) {
    first(w);
    second(w);
  };
}

Spoil ControlPlane(const Spoil& more) {
  return Both([](FakeWorld& w) { (*w.binding)->control_plane = true; }, more);
}

Spoil Subdomains(const Spoil& more) {
  return Both([](FakeWorld& w) { w.policy.node_subdomains = true; }, more);
}

TEST(ByNode, AttestsOnlyTheNodesOwnName) {
  Check(
      FakeWorld::NodeItself,
      {{"its own", [](FakeWorld&) {}, kNodeOk},
       {"another's", AskedAndWritten("bear"), kNotOwn},
       {"below its own", AskedAndWritten("panda.example.com"), kNotOwn},
       {"below its own, where they count", Subdomains(AskedAndWritten("panda.example.com")),
        kNodeOk},
       {"begins alike", Subdomains(AskedAndWritten("pandas.example.com")), kNotOwn},
       {"ends alike", Subdomains(AskedAndWritten("bear.panda")), kNotOwn},
       {"a service", AskedAndWritten("kubernetes.default.svc"), kForbidden},
       {"a service below its own name", Subdomains(AskedAndWritten("panda.shop.svc")), kForbidden},
       {"everything", AskedAndWritten("*"), kForbidden},
       {"everything below", Subdomains(AskedAndWritten("*.panda")), kForbidden},
       {"localhost", AskedAndWritten("localhost"), kForbidden},
       {"not in its status", [](FakeWorld& w) { w.machines.front().addresses.clear(); },
        kExhausted}});
}

TEST(ByNode, RefusesAddressesOfTheCluster) {
  Check(FakeWorld::NodeItself,
        {{"the API server's Service", AskedAndWritten("10.96.0.1"), kReserved},
         {"the last address of Services", AskedAndWritten("10.111.255.255"), kReserved},
         {"a Pod's", AskedAndWritten("10.244.3.4"), kReserved},
         {"outside of both", AskedAndWritten("10.112.0.1"), kNodeOk},
         {"the control plane's address", AskedAndWritten("10.0.0.100"), kReserved},
         {"mapped", AskedAndWritten("::ffff:10.0.0.100"), kReserved},
         {"for a control-plane node", ControlPlane(AskedAndWritten("10.0.0.100")), kNodeOk},
         {"Services, for a control-plane node", ControlPlane(AskedAndWritten("10.96.0.1")),
          kReserved},
         {"loopback", AskedAndWritten("127.0.0.1"), kForbidden},
         {"loopback of IPv6", AskedAndWritten("::1"), kForbidden},
         {"loopback, for a control-plane node", ControlPlane(AskedAndWritten("127.0.0.1")),
          kForbidden},
         {"the cloud's metadata", AskedAndWritten("169.254.169.254"), kForbidden},
         {"link-local", AskedAndWritten("fe80::1"), kForbidden},
         {"multicast", AskedAndWritten("224.0.0.1"), kForbidden},
         {"unspecified", AskedAndWritten("0.0.0.0"), kForbidden},
         {"not known", [](FakeWorld& w) { w.reserved = std::unexpected("403"); }, kUnknown},
         {"not looked up", [](FakeWorld& w) { w.reserved.reset(); }, "wants 5"}});
}

TEST(ByNode, RefusesNamesMatchingAWildcardOfTheApiServers) {
  for (const auto& [endpoint, name, want] :
       std::initializer_list<std::tuple<const char*, const char*, std::string>>{
           {"*.example.com", "panda.example.com", kReserved},
           {"*.EXAMPLE.com.", "panda.example.com", kReserved},
           {"*.example.com", "panda.a.example.com", kNodeOk},
           {"*.a.example.com", "panda.a.example.com", kReserved},
           {"*.example.com", "panda", kNodeOk},
           {"*.com", "panda.example.com", kNodeOk}}) {
    FakeWorld world = FakeWorld::NodeItself();
    world.policy.node_subdomains = true;
    (*world.reserved)->endpoints = {endpoint};
    world.request.names = {{0x82, name}};
    world.machines.front().addresses.push_back({"Hostname", name});
    EXPECT_EQ(world.Outcome(), want) << endpoint << " " << name;
    (*world.binding)->control_plane = true;
    EXPECT_EQ(world.Outcome(), kNodeOk);
  }
}

TEST(ByNode, OnlyAControlPlaneNodeMayHaveTheNameOfTheApiServers) {
  FakeWorld world = FakeWorld::NodeItself();
  (*world.reserved)->endpoints = {"PANDA."};
  EXPECT_EQ(world.Outcome(), kReserved);
  (*world.binding)->control_plane = true;
  EXPECT_EQ(world.Outcome(), kNodeOk);
}

TEST(ByNode, BindsANodeToItsFirstAddresses) {
  const auto bound = [](std::vector<std::string> addresses) {
    return [=](FakeWorld& w) { (*w.binding)->addresses = addresses; };
  };
  const auto within = [](std::vector<std::string> cidrs, const Spoil& more) {
    return Both([=](FakeWorld& w) { w.policy.node_cidrs = Networks(cidrs); }, more);
  };
  const Spoil both = bound({"10.0.0.1", "fd00::1"});
  std::vector<std::string> addresses{"10.0.0.1", "fd00::1"};
  Spoil many = [](FakeWorld&) {};
  while (addresses.size() <= kMostBound) {
    addresses.push_back(fmt::format("10.0.0.{}", 10 + addresses.size()));
    many = Both(many, AskedAndWritten(addresses.back()));
  }
  Check(FakeWorld::NodeItself,
        {{"not approved yet", [](FakeWorld&) {}, kNodeOk},
         {"the same", both, kNodeOk},
         {"fewer", bound({"10.0.0.1", "fd00::1", "10.0.0.9"}), kNodeOk},
         {"one more", Both(both, AskedAndWritten("10.0.0.9")), kChanged},
         {"another", bound({"10.0.0.1"}), kChanged},
         {"within allowed networks", within({"10.0.0.0/24", "fd00::/64"}, bound({"10.0.0.9"})),
          kNodeOk},
         {"outside of them", within({"10.0.1.0/24", "fd00::/64"}, both), kNotAllowed},
         {"outside of them at first", within({"10.0.1.0/24", "fd00::/64"}, [](FakeWorld&) {}),
          kNotAllowed},
         {"all addresses are not a network", within({"0.0.0.0/0", "::/0"}, both), kNotAllowed},
         {"so many that they are not kept", many, "retry serving-too-many-addresses"},
         {"so many that were kept before", Both(many, bound(addresses)), kNodeOk},
         {"not known", [](FakeWorld& w) { w.binding = std::unexpected("404"); }, kUnknown},
         {"not looked up", [](FakeWorld& w) { w.binding.reset(); }, "wants 6"}});
}

TEST(UnboundOf, IsEmptyForARequestWithoutAddresses) {
  EXPECT_TRUE(UnboundOf(pki::Request(), NodeBinding()).empty());
}

TEST(ByNode, RefusesNamesAndAddressesOfOthers) {
  const auto claimed = [](const std::string& name, bool by_node) {
    return [=](FakeWorld& w) { w.claims = {{.name = name, .by = "x", .by_node = by_node}}; };
  };
  const Spoil bound = [](FakeWorld& w) { (*w.binding)->addresses = {"10.0.0.1", "fd00::1"}; };
  const Spoil of_another = [](FakeWorld& w) {
    (*w.binding)->others = {{.name = "10.0.0.1", .by = "Node bear", .by_node = true}};
  };
  Check(FakeWorld::NodeItself,
        {{"another Node writes the address", claimed("10.0.0.1", true), kTaken},
         {"the same, but it is bound to this one", Both(bound, claimed("10.0.0.1", true)), kNodeOk},
         {"a Machine has it", claimed("10.0.0.1", false), kTaken},
         {"a Machine has what is bound", Both(bound, claimed("10.0.0.1", false)), kTaken},
         {"another Node is called so", Both(bound, claimed("panda", true)), kTaken},
         {"a Machine is called so", Both(bound, claimed("panda", false)), kTaken},
         {"bound to another", of_another, kTaken},
         {"bound to both", Both(bound, of_another), kTaken},
         {"bound to another, in an allowed network",
          Both(of_another,
               [](FakeWorld& w) { w.policy.node_cidrs = Networks({"10.0.0.0/8", "fd00::/8"}); }),
          kTaken}});
}

// A kubelet's certificate attests its successor, but does not bypass these rules.
TEST(ByNode, IsTheOnlyEvidenceForItsNode) {
  const auto current = [] {
    FakeWorld world = FakeWorld::NodeItself();
    world.has_ca = true;
    world.current = CurrentCertificate{.common_name = "system:node:panda",
                                       .names = {.dns = {"panda"}, .ips = {"10.0.0.1", "fd00::1"}},
                                       .chain_problem = {}};
    (*world.binding)->addresses = {"10.0.0.1"};
    return world;
  };
  Check(current, {{"renewal", [](FakeWorld&) {}, kChanged},
                  {"egress addresses",
                   [](FakeWorld& w) {
                     w.policy.ovn_egress = true;
                     w.network = "OVNKubernetes";
                     w.egress_ips = Egress{.ips = {"fd00::1"}, .cidrs = {}};
                   },
                   kChanged},
                  {"cheapest first",
                   [](FakeWorld& w) { w.policy.order = Policy::Order::kCheapest; }, kChanged}});
}

TEST(ByNode, PrefersTheMachineToTheNode) {
  FakeWorld world = FakeWorld::NodeItself();
  (*world.binding)->addresses = {"10.0.0.9"};
  world.machines.insert(world.machines.begin(), FakeWorld::Serving().machines.front());
  EXPECT_EQ(world.Outcome(), kServingOk) << "another source attests its addresses";
}

TEST(ByNode, RefusesAServingCertificateForANameThatMayOnlyJoin) {
  FakeWorld world = FakeWorld::NodeItself();
  const Machine node = world.machines.front();
  world.machines = {EntryAllowed("panda")};
  EXPECT_EQ(world.Outcome(), kExhausted);
  world.machines.push_back(node);
  EXPECT_EQ(world.Outcome(), kNodeOk);
}

TEST(UnboundOf, ReturnsTheNewAddresses) {
  const pki::Request request{.names = {.ips = {"10.0.0.1", "10.0.0.2"}}};
  NodeBinding binding;
  EXPECT_THAT(UnboundOf(request, binding), ElementsAre("10.0.0.1", "10.0.0.2"));
  binding.addresses = {"10.0.0.2"};
  EXPECT_THAT(UnboundOf(request, binding), ElementsAre("10.0.0.1"));
  EXPECT_THAT(UnboundOf({}, binding), IsEmpty());
}

}  // namespace
}  // namespace judgement
