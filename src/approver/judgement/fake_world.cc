// SPDX-License-Identifier: Apache-2.0
#include "judgement/fake_world.h"

#include <algorithm>

#include "judgement/names.h"

namespace judgement {
namespace {

const std::string kTen("\x0A\0\0\1", 4);
const std::string kFd("\xFD\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);

}  // namespace

std::vector<net::Cidr> Networks(const std::vector<std::string>& texts) {
  std::vector<net::Cidr> networks;
  for (const std::string& text : texts) {
    networks.push_back(net::Cidr::Parse(text).value());
  }
  return networks;
}

FakeWorld FakeWorld::Client() {
  FakeWorld world;
  world.csr = {
      .name = "csr-1",
      .uid = "uid-1",
      .resource_version = "7",
      .username = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper",
      .signer = "kubernetes.io/kube-apiserver-client-kubelet",
      .groups = {"system:serviceaccounts:openshift-machine-config-operator",
                 "system:serviceaccounts", "system:authenticated"},
      .usages = {"digital signature", "key encipherment", "client auth"},
      .created = kMachineMade + std::chrono::seconds(60),
      .conditions = {}};
  world.machines = {{.api_group = "machine.openshift.io",
                     .name_space = "machines",
                     .name = "panda-machine",
                     .created = kMachineMade,
                     .node_ref = {},
                     .addresses = {{"InternalDNS", "panda"}},
                     .used_by = {},
                     .provider_id = {}}};
  return world;
}

FakeWorld FakeWorld::Serving() {
  FakeWorld world = Client();
  world.csr.username = "system:node:panda";
  world.csr.signer = "kubernetes.io/kubelet-serving";
  world.csr.groups = {"system:nodes", "system:authenticated"};
  world.csr.usages = {"digital signature", "key encipherment", "server auth"};
  world.request.names = {{0x82, "panda"}, {0x82, "panda.local"}, {0x87, kTen}, {0x87, kFd}};
  world.machines.front().node_ref = "panda";
  world.machines.front().addresses = {{"InternalDNS", "panda.local"},
                                      {"Hostname", "panda"},
                                      {"InternalIP", "10.0.0.1"},
                                      {"ExternalIP", "fd00::1"}};
  world.nodes = {"panda"};
  return world;
}

FakeWorld FakeWorld::NodeItself() {
  FakeWorld world = Serving();
  world.request.names = {{0x82, "panda"}, {0x87, kTen}, {0x87, kFd}};
  world.machines = {EntryOfNode(
      {.name = "panda",
       .addresses = {
           {"Hostname", "panda"}, {"InternalIP", "10.0.0.1"}, {"InternalIP", "fd00::1"}}})};
  world.reserved = Reserved{.cidrs = Networks({"10.96.0.0/12", "10.244.0.0/16"}),
                            .endpoints = {"api.example.com", "10.0.0.100"}};
  world.binding = NodeBinding{.uid = "u", .addresses = {}, .others = {}};
  return world;
}

Verdict FakeWorld::Judged() const {
  const ParsedRequest parsed = pki::ReadRequest(pem.empty() ? pki::FakeRequestPem(request) : pem);
  Facts facts;
  facts.csr = &csr;
  facts.request = &parsed;
  facts.machines_problem = machines_problem;
  facts.in_flight = in_flight;
  facts.newer = newer;
  facts.has_ca = has_ca;
  facts.current = current;
  facts.network = network;
  facts.host_subnet = host_subnet;
  facts.egress_ips = egress_ips;
  facts.claims = claims;
  facts.reserved = reserved;
  facts.binding = binding;
  MachineIndex index;
  int rank = 0;
  for (const Machine& machine : machines) {
    index.Put(machine.source == Source::kTokens || machine.source == Source::kWithdrawn
                  ? KeyOf(machine)
                  : MachineKey{.rank = rank++, .name_space = {}, .name = {}},
              machine);
  }
  const MachinePtr bound = index.FindBound(csr);
  facts.bound = bound.get();
  std::vector<MachinePtr> named;
  std::vector<MachinePtr> owning;
  if (parsed) {
    const std::string node = NodeOf(csr, *parsed);
    named = index.Named(node);
    owning = index.Owning(node);
    const bool there =
        std::ranges::any_of(nodes, [&](const std::string& known) { return SameName(known, node); });
    facts.node = there ? NodeLookup::kPresent : NodeLookup::kAbsent;
  }
  for (const MachinePtr& machine : named) {
    facts.named.push_back(machine.get());
  }
  for (const MachinePtr& machine : owning) {
    facts.owning.push_back(machine.get());
  }
  Verdict verdict = Judge(facts, policy, Detail::kAll);
  verdict.machine = nullptr;  // the machine's lifetime ends here
  return verdict;
}

std::string FakeWorld::Outcome() const {
  const Verdict verdict = Judged();
  if (verdict.want != Want::kNothing) {
    return "wants " + std::to_string(static_cast<int>(verdict.want));
  }
  return std::string(DecisionText(verdict.decision)) + " " + std::string(NameOf(verdict.reason));
}

}  // namespace judgement
