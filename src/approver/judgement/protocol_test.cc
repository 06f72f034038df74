// SPDX-License-Identifier: Apache-2.0
// The whole output of a verdict. Auditors filter by its rules, reasons and words, and `explain`
// shows them.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "judgement/fake_cases.h"
#include "judgement/judge.h"
#include "judgement/renewal.h"

namespace judgement {
namespace {

constexpr const char* kFile = TESTDATA_DIR "/protocols.txt";

FakeWorld Renewing() {
  FakeWorld world = FakeWorld::Serving();
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

FakeWorld Egressing(const std::string& network) {
  FakeWorld world = Renewing();
  world.machines.clear();
  world.request.names.emplace_back(0x87, std::string("\x63\0\1\1", 4));  // 99.0.1.1
  world.network = network;
  world.policy.ovn_egress = true;
  world.host_subnet = world.egress_ips = Egress{.ips = {"99.0.1.1"}, .cidrs = {}};
  return world;
}

std::string Protocol(const FakeWorld& world) {
  const Verdict verdict = world.Judged();
  std::string text = fmt::format("{}: {}\n", world.Outcome(), verdict.message);
  for (const Rule& rule : verdict.rules) {
    text += fmt::format("  {} {}: {}\n", rule.passed ? "+" : "-", rule.rule, rule.compared);
  }
  return text;
}

// Makes every rule fail that can fail together with other rules.
void SpoilMuch(FakeWorld& world) {
  world.csr.groups = {"nobody"};
  world.csr.signer = "x";
  world.csr.usages = {"any"};
  world.nodes = {"panda"};
  world.policy.client_disabled = true;
  world.request.break_signature = true;
  world.request.version = std::string(1, '\1');
  world.request.key = pki::FakeKey::kRsa1024;
  for (Machine& machine : world.machines) {
    machine.deleting = true;
  }
}

void SpoilNames(FakeWorld& world) {
  world.request.names.emplace_back(0x82, "*.PANDA.");
  world.request.names.emplace_back(0x82, "");
  world.request.names.emplace_back(0x86, "spiffe://a/b");
  world.request.names.emplace_back(0x87, std::string("\x7F\0\0\1", 4));
}

TEST(Protocol, ShowsEveryRule) {
  struct Row {
    std::string name;
    FakeWorld world;
    Spoil spoil = {};
  };
  std::string told;
  for (Row row : std::initializer_list<Row>{
           {"client", FakeWorld::Client()},
           {"client, spoilt", FakeWorld::Client(), SpoilMuch},
           {"client without a machine", FakeWorld::Client(),
            [](FakeWorld& w) { w.machines.clear(); }},
           {"serving by a machine", FakeWorld::Serving()},
           {"serving, spoilt", FakeWorld::Serving(), SpoilMuch},
           {"serving, other names", FakeWorld::Serving(), SpoilNames},
           {"serving by a Node", FakeWorld::NodeItself()},
           {"renewal", Renewing()},
           {"renewal, untrusted", Renewing(),
            [](FakeWorld& w) { (*w.current)->chain_problem = "unknown issuer"; }},
           {"egress", Egressing("OpenShiftSDN")},
           {"egress of OVN", Egressing("OVNKubernetes")},
           {"egress of OVN, by a machine", Egressing("OVNKubernetes"),
            [](FakeWorld& w) {
              w.machines = FakeWorld::Serving().machines;
              w.has_ca = false;
              w.current = {};
            }},
           {"serving, an extension", FakeWorld::Serving(),
            [](FakeWorld& w) {
              w.request.more_extensions =
                  pki::DerOf(0x30, pki::DerOf(0x06, "\x2A\x03") + pki::DerOf(0x04, ""));
            }},
           {"serving, an address of everybody's link", FakeWorld::Serving(),
            [](FakeWorld& w) {
              w.request.names.emplace_back(0x87, std::string("\xA9\xFE\0\1", 4));
            }},
           {"egress, not the node's", Egressing("OpenShiftSDN"),
            [](FakeWorld& w) { (*w.host_subnet)->ips = {"99.0.1.2"}; }}}) {
    if (row.spoil) {
      row.spoil(row.world);
    }
    told += fmt::format("{}\n{}\n", row.name, Protocol(row.world));
  }
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(kFile) << told;
  }
  std::ifstream in(kFile);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), told);
}

TEST(RenewalProblem, NamesTheDifference) {
  const FakeWorld world = Renewing();
  pki::Request request = *pki::ReadRequest(pki::FakeRequestPem(world.request));
  const CurrentCertificate& current = **world.current;
  EXPECT_EQ(RenewalProblem(request, current, "panda"), std::nullopt);
  EXPECT_EQ(RenewalProblem(request, current, "bear"),
            "the kubelet's certificate is \"system:node:panda\"'s");
  request.common_name = "system:node:bear";
  EXPECT_EQ(RenewalProblem(request, current, "panda"),
            "the request has another common name than the kubelet's certificate");
}

}  // namespace
}  // namespace judgement
