// SPDX-License-Identifier: Apache-2.0
#include "judgement/hopeless.h"

#include <gtest/gtest.h>

#include "judgement/fake_cases.h"

namespace judgement {
namespace {

std::string ReasonOf(const FakeWorld& world, bool tokens = false) {
  const ParsedRequest request =
      pki::ReadRequest(world.pem.empty() ? pki::FakeRequestPem(world.request) : world.pem);
  const auto verdict = HopelessVerdict(world.csr, request, tokens);
  return verdict ? std::string(NameOf(verdict->reason)) : "";
}

TEST(HopelessVerdict, IsReturnedForRequestsThatNoInventoryCanAttest) {
  struct Row {
    std::string name;
    Spoil spoil;
    std::string want;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"good", [](FakeWorld&) {}, ""},
           {"machine gone", [](FakeWorld& w) { w.machines.clear(); }, ""},
           {"node there", [](FakeWorld& w) { w.nodes = {"panda"}; }, ""},
           {"out of time", [](FakeWorld& w) { w.csr.created = {}; }, ""},
           {"no request", [](FakeWorld& w) { w.pem = "x"; }, "bad-pem"},
           {"no DER", [](FakeWorld& w) { w.pem = pki::PemOf("CERTIFICATE REQUEST", "x"); },
            "parse-error"},
           {"too large", [](FakeWorld& w) { w.pem = std::string(100'000, 'x'); },
            "request-too-large"},
           {"signature", [](FakeWorld& w) { w.request.break_signature = true; },
            "signature-invalid"},
           {"weak key", [](FakeWorld& w) { w.request.key = pki::FakeKey::kRsa1024; },
            "key-too-weak"},
           {"another signer", [](FakeWorld& w) { w.csr.signer = "kubernetes.io/kubelet-serving"; },
            "signer-mismatch"},
           {"an asker", [](FakeWorld& w) { w.csr.username = "system:bootstrap:abcdef"; },
            "client-not-bootstrapper"},
           {"nameless", [](FakeWorld& w) { AskFor(w, ""); }, "client-empty-node-name"},
       }) {
    FakeWorld world = FakeWorld::Client();
    row.spoil(world);
    EXPECT_EQ(ReasonOf(world), row.want) << row.name;
  }
}

TEST(HopelessVerdict, JudgesServingRequests) {
  FakeWorld world = FakeWorld::Serving();
  EXPECT_EQ(ReasonOf(world), "");
  world.machines.clear();
  EXPECT_EQ(ReasonOf(world), "") << "the kubelet's certificate may attest";
  world.request.names.emplace_back(0x86, "spiffe://a/b");
  EXPECT_EQ(ReasonOf(world), "serving-san-kind");
  world = FakeWorld::Serving();
  world.csr.username = "system:node:bear";
  EXPECT_EQ(ReasonOf(world), "serving-cn-mismatch");
}

TEST(HopelessVerdict, AcceptsTokenOwnersOnlyIfTheyMayRequest) {
  FakeWorld world = FakeWorld::Client();
  world.csr.username = "system:bootstrap:abcdef";
  world.csr.groups = {"system:bootstrappers", "system:authenticated"};
  EXPECT_EQ(ReasonOf(world, true), "");
  EXPECT_EQ(ReasonOf(world, false), "client-not-bootstrapper");
}

TEST(HopelessVerdict, BoundsItsMessageAndOmitsRules) {
  FakeWorld world = FakeWorld::Client();
  world.csr.groups.assign(10'000, "group");
  const ParsedRequest request = pki::ReadRequest(pki::FakeRequestPem(world.request));
  const auto verdict = HopelessVerdict(world.csr, request, false);
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->rules.empty());
  EXPECT_EQ(verdict->message.size(), 1024U) << "as much as an Event shows";
  EXPECT_LE(verdict->message.capacity(), 2048U);
}

TEST(HopelessVerdict, KeepsAShortMessageUnchanged) {
  FakeWorld world = FakeWorld::Client();
  world.csr.signer = "x";
  const ParsedRequest request = pki::ReadRequest(pki::FakeRequestPem(world.request));
  const auto verdict = HopelessVerdict(world.csr, request, false);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->message,
            "signerName \"x\" for \"kubernetes.io/kube-apiserver-client-kubelet\"");
}

}  // namespace
}  // namespace judgement
