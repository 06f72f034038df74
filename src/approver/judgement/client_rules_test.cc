// SPDX-License-Identifier: Apache-2.0
// Kubelets' first client certificates: the requester, the node, and the attesting machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judgement/fake_cases.h"
#include "judgement/judge.h"

namespace judgement {
namespace {

TEST(Judge, ComparesClientNamesWithTheMachineInCanonicalForm) {
  struct Row {
    std::string asked, known, want;
  };
  const std::string odd = "ignore name-not-canonical";
  const std::string lookup = "retry client-node-lookup-failed";
  for (const Row& row : std::initializer_list<Row>{
           {"panda", "panda", kClientOk},
           {"panda", "PANDA", kClientOk},
           {"PANDA", "panda", odd},
           {"panda", "Panda.", kClientOk},
           {"panda.", "panda", odd},
           {"panda..", "panda", kNoMachine},
           {"pandas", "panda", kNoMachine},
           {"panda", "", kNoMachine},
           {"k", "\xE2\x84\xAA", kNoMachine},
           {"", "", "ignore client-empty-node-name"},
           {".", ".", lookup},
           {"..", "..", lookup},
           {"a/b", "a/b", lookup},
           {"a%2fb", "a%2fb", lookup},
           {"system:node:panda", "system:node:panda", kClientOk},
       }) {
    FakeWorld world = FakeWorld::Client();
    AskFor(world, row.asked);
    world.machines.front().addresses = {{"InternalDNS", row.known}};
    EXPECT_EQ(world.Outcome(), row.want) << row.asked << " for " << row.known;
    for (const char* type : {"ExternalDNS", "Hostname", "InternalIP"}) {
      world.machines.front().addresses = {{type, row.known}};
      EXPECT_NE(world.Outcome(), kClientOk) << type;
    }
  }
}

TEST(Judge, RefusesAClientRequestOfAnExistingNode) {
  struct Row {
    std::string node, want;
  };
  const std::string exists = "ignore client-node-exists";
  for (const Row& row : std::initializer_list<Row>{
           {"panda", exists}, {"PANDA", exists}, {"Panda", exists}, {"pandas", kClientOk}}) {
    FakeWorld world = FakeWorld::Client();
    world.nodes = {row.node};
    EXPECT_EQ(world.Outcome(), row.want) << row.node;
  }
}

TEST(Judge, OnlyBootstrappersGetClientCertificates) {
  const std::string other = "ignore client-not-bootstrapper";
  const auto groups = [](std::vector<std::string> list) {
    return [=](FakeWorld& w) { w.csr.groups = list; };
  };
  const std::string own = "system:serviceaccounts:openshift-machine-config-operator";
  const std::string all = "system:serviceaccounts";
  const std::string authenticated = "system:authenticated";
  Check(FakeWorld::Client,
        {{"other order", groups({authenticated, own, all}), kClientOk},
         {"one twice", groups({authenticated, own, all, all}), kClientOk},
         {"one missing", groups({authenticated, own}), other},
         {"one missing, one twice", groups({authenticated, own, own}), other},
         {"one more", groups({authenticated, own, all, "x"}), other},
         {"none", groups({}), other},
         {"another account", [](FakeWorld& w) { w.csr.username += "2"; }, other},
         {"a node", [](FakeWorld& w) { w.csr.username = "system:node:panda"; }, other},
         {"a token's owner, not enabled",
          [=](FakeWorld& w) {
            w.csr.username = "system:bootstrap:abcdef";
            w.csr.groups = {"system:bootstrappers", authenticated};
          },
          other}});
}

TEST(Judge, TokenOwnersNeedAnEntry) {
  const auto token = [] {
    FakeWorld w = FakeWorld::Client();
    w.policy.bootstrap_tokens = true;
    w.csr.username = "system:bootstrap:abcdef";
    w.csr.groups = {"system:bootstrappers", "system:authenticated"};
    w.machines.front().is_entry = true;
    w.machines.front().name = "panda";
    w.machines.front().source = Source::kFile;
    return w;
  };
  const std::string other = "ignore client-not-bootstrapper";
  Check(token,
        {{"entry", [](FakeWorld&) {}, kClientOk},
         {"long after", [](FakeWorld& w) { w.csr.created += std::chrono::seconds(100'000'000); },
          kClientOk},
         {"a Machine only", [](FakeWorld& w) { w.machines.front().is_entry = false; }, other},
         {"a Machine and then an entry",
          [](FakeWorld& w) {
            w.machines.insert(w.machines.begin(), w.machines.front());
            w.machines.front().is_entry = false;
            w.machines.front().name = "m";
          },
          kClientOk},
         {"another entry for the same name",
          [](FakeWorld& w) { w.machines.push_back(w.machines.front()); }, kClientOk},
         {"not in the group", [](FakeWorld& w) { w.csr.groups = {"system:authenticated"}; }, other},
         {"no token's id", [](FakeWorld& w) { w.csr.username = "system:bootstrap:"; }, other},
         {"one-time, new", [](FakeWorld& w) { w.machines.front().one_time = true; }, kClientOk},
         {"one-time, used for this request",
          [](FakeWorld& w) {
            w.machines.front().one_time = true;
            w.machines.front().used_by = "uid-1";
          },
          kClientOk},
         {"one-time, used",
          [](FakeWorld& w) {
            w.machines.front().one_time = true;
            w.machines.front().used_by = "uid-0";
          },
          "ignore client-entry-used"},
         {"the name has a node", [](FakeWorld& w) { w.nodes = {"panda"}; },
          "ignore client-node-exists"}});
}

TEST(Judge, RefusesAClientRequestOutsideTheTimeWindowOfItsMachine) {
  struct Row {
    int after;
    std::string want;
  };
  const std::string outside = "ignore client-outside-time-window";
  for (const Row& row : std::initializer_list<Row>{{-11, outside},
                                                   {-10, outside},
                                                   {-9, kClientOk},
                                                   {0, kClientOk},
                                                   {7199, kClientOk},
                                                   {7200, outside},
                                                   {7201, outside}}) {
    FakeWorld world = FakeWorld::Client();
    world.csr.created = kMachineMade + std::chrono::seconds(row.after);
    EXPECT_EQ(world.Outcome(), row.want) << row.after;
  }
  FakeWorld world = FakeWorld::Client();
  world.csr.created = kNoTime;
  EXPECT_EQ(world.Outcome(), outside);
  world.machines.front().created = kNoTime;
  EXPECT_EQ(world.Outcome(), kClientOk);
}

TEST(Judge, RefusesAClientRequestIfTheMachineHasANode) {
  const auto second = [](const Spoil& change) {
    return [=](FakeWorld& w) {
      FakeWorld other = FakeWorld::Client();
      other.machines.front().name = "second";
      change(other);
      w.machines.push_back(other.machines.front());
    };
  };
  const std::string owned = "ignore client-machine-has-noderef";
  Check(FakeWorld::Client,
        {{"none", [](FakeWorld& w) { w.machines.clear(); }, kNoMachine},
         {"unknown", [](FakeWorld& w) { w.machines_problem = "no answer"; },
          "retry machine-list-failed"},
         {"with a node", [](FakeWorld& w) { w.machines.front().node_ref = "x"; }, owned},
         {"with an empty nodeRef", [](FakeWorld& w) { w.machines.front().node_ref = ""; }, owned},
         {"being deleted", [](FakeWorld& w) { w.machines.front().deleting = true; },
          "retry client-machine-being-deleted"},
         {"two alike", second([](FakeWorld&) {}), kClientOk},
         {"the second has a node",
          second([](FakeWorld& w) { w.machines.front().node_ref = "other"; }), owned},
         {"the second has the node by nodeRef only", second([](FakeWorld& w) {
            w.machines.front().node_ref = "panda";
            w.machines.front().addresses.clear();
          }),
          owned},
         {"the second has the node in other case", second([](FakeWorld& w) {
            w.machines.front().node_ref = "PANDA";
            w.machines.front().addresses.clear();
          }),
          owned},
         {"the second is outside the window",
          second([](FakeWorld& w) { w.machines.front().created = {}; }), kClientOk},
         {"the first is outside the window",
          [&](FakeWorld& w) {
            second([](FakeWorld&) {})(w);
            w.machines.front().created = {};
          },
          "ignore client-outside-time-window"},
         {"the first is being deleted",
          [&](FakeWorld& w) {
            second([](FakeWorld&) {})(w);
            w.machines.front().deleting = true;
          },
          "retry client-machine-being-deleted"},
         {"disabled", [](FakeWorld& w) { w.policy.client_disabled = true; },
          "retry client-flow-disabled"}});
}

}  // namespace
}  // namespace judgement
