// SPDX-License-Identifier: Apache-2.0
#include "requests/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "evidence/fake_objects.h"
#include "judgement/fake_cases.h"

namespace requests {
namespace {

using evidence::CsrObject;
using evidence::NodeObject;
using judgement::Address;
using judgement::Csr;
using judgement::Decision;
using judgement::DecisionText;
using judgement::Detail;
using judgement::Facts;
using judgement::FakeWorld;
using judgement::Judge;
using judgement::kMachineMade;
using judgement::Machine;
using judgement::MachineKey;
using judgement::NodeBinding;
using judgement::Policy;
using judgement::Reserved;
using judgement::Verdict;
using testing::ElementsAre;
using testing::IsEmpty;

std::string Outcome(const Store& store, const std::string& name) {
  const auto gathered = store.Collect(name);
  if (!gathered) {
    return "gone";
  }
  Facts facts = gathered->facts;
  facts.reserved = Reserved{};
  facts.binding = NodeBinding{.uid = "u", .addresses = {}, .others = {}};
  const Verdict verdict = Judge(facts, {.order = Policy::Order::kCheapest}, Detail::kDecision);
  return std::string(DecisionText(verdict.decision)) + " " + std::string(NameOf(verdict.reason));
}

TEST(Store, ARequestIsJudgedAgainWhenItsMachineIsAdded) {
  Store store;
  const FakeWorld world = FakeWorld::Client();
  EXPECT_THAT(store.PutCsr(CsrObject(world, "a"), false), ElementsAre("a"));
  EXPECT_EQ(Outcome(store, "a"), "retry client-no-machine-with-internal-dns");
  Machine other = world.machines.front();
  other.addresses = {{"InternalDNS", "bear"}};
  EXPECT_THAT(store.PutMachine({0, "ns", "bear"}, other), IsEmpty());
  EXPECT_THAT(store.PutMachine({0, "ns", "m"}, world.machines.front()), ElementsAre("a"));
  EXPECT_EQ(Outcome(store, "a"), "approve client-ok");
  EXPECT_THAT(store.RemoveMachine({0, "ns", "m"}), ElementsAre("a"));
  EXPECT_EQ(Outcome(store, "a"), "retry client-no-machine-with-internal-dns");
}

TEST(Store, ARequestIsJudgedAgainWhenItsNodeChanges) {
  Store store;
  const FakeWorld world = FakeWorld::Client();
  store.PutMachine({0, "ns", "m"}, world.machines.front());
  EXPECT_THAT(store.PutNode(NodeObject("PANDA")), IsEmpty());
  store.PutCsr(CsrObject(world, "a"), false);
  EXPECT_EQ(Outcome(store, "a"), "ignore client-node-exists");
  EXPECT_THAT(store.PutNode(NodeObject("PANDA")), IsEmpty()) << "nothing new";
  EXPECT_THAT(store.PutNode(NodeObject("PANDA", "10.0.0.2")), ElementsAre("a"));
  EXPECT_THAT(store.RemoveNode("PANDA"), ElementsAre("a"));
  EXPECT_EQ(Outcome(store, "a"), "approve client-ok");
}

TEST(Store, LeavesRequestsPendingWhileMachinesCannotBeRead) {
  Store store;
  const FakeWorld world = FakeWorld::Client();
  store.PutMachine({0, "ns", "m"}, world.machines.front());
  store.PutCsr(CsrObject(world, "a"), false);
  store.SetMachinesProblem(1, "ns/x", "bad");
  store.SetMachinesProblem(0, "", "bad");
  EXPECT_EQ(Outcome(store, "a"), "retry machine-list-failed");
  EXPECT_THAT(store.SetMachinesProblem(0, "", {}), IsEmpty());
  EXPECT_THAT(store.SetMachinesProblem(1, "ns/x", {}), ElementsAre("a"));
  EXPECT_EQ(Outcome(store, "a"), "approve client-ok");
}

TEST(Store, TheFirstMachineInListOrderDecides) {
  Store store;
  const FakeWorld world = FakeWorld::Client();
  Machine late = world.machines.front();
  late.created = {};
  store.PutMachine({1, "a", "a"}, world.machines.front());
  store.PutMachine({0, "z", "z"}, late);
  store.PutCsr(CsrObject(world, "a"), false);
  EXPECT_EQ(Outcome(store, "a"), "ignore client-outside-time-window");
}

TEST(Store, DropsDecidedAndForeignRequests) {
  Store store;
  const FakeWorld world = FakeWorld::Client();
  store.PutCsr(CsrObject(world, "a"), false);
  for (const char* type : {"Approved", "Denied", "Failed"}) {
    json::Value decided = CsrObject(world, "a");
    decided["status"]["conditions"] = {{{"type", type}, {"status", "True"}}};
    store.PutCsr(CsrObject(world, "a"), false);
    EXPECT_THAT(store.PutCsr(decided, false), IsEmpty()) << type;
    EXPECT_EQ(Outcome(store, "a"), "gone") << type;
  }
}

TEST(Store, NodesAttestThemselves) {
  Store store;
  store.SetNodesAttest();
  FakeWorld world = FakeWorld::Serving();
  world.request.names = {{0x87, std::string("\x0A\0\0\1", 4)}};
  store.PutCsr(CsrObject(world, "a"), true);
  EXPECT_EQ(Outcome(store, "a"), "retry serving-exhausted");
  EXPECT_THAT(store.PutNode(NodeObject("panda")), ElementsAre("a"));
  EXPECT_EQ(Outcome(store, "a"), "approve serving-node-ok");
}

TEST(Store, NodesDoNotAttestNamesAndAddressesOfOthers) {
  const FakeWorld world = FakeWorld::NodeItself();
  const auto outcome = [&](const std::function<void(Store&)>& change) {
    Store store;
    store.SetNodesAttest();
    json::Value panda = NodeObject("panda");
    for (const Address& address : world.machines.front().addresses) {
      panda["status"]["addresses"].push_back(
          {{"type", address.type}, {"address", address.address}});
    }
    store.PutNode(panda);
    store.PutCsr(CsrObject(world, "a"), false);
    change(store);
    return Outcome(store, "a");
  };
  Machine machine = FakeWorld::Client().machines.front();
  machine.addresses = {{"InternalIP", "FD00:0::1"}};
  const MachineKey key{0, "ns", "m"};
  const std::string taken = "retry serving-name-taken";
  const std::string fine = "approve serving-node-ok";
  EXPECT_EQ(outcome([](Store&) {}), fine);
  EXPECT_EQ(outcome([](Store& s) { s.PutNode(NodeObject("bear", "10.0.0.1")); }), taken);
  EXPECT_EQ(outcome([](Store& s) { s.PutNode(NodeObject("bear", "::ffff:10.0.0.1")); }), taken);
  EXPECT_EQ(outcome([](Store& s) { s.PutNode(NodeObject("bear", "panda")); }), fine)
      << "a name that another Node writes is not a claim";
  EXPECT_EQ(outcome([](Store& s) {
              s.PutNode(NodeObject("bear", "10.0.0.1"));
              s.PutNode(NodeObject("bear", "10.0.0.2"));
            }),
            fine)
      << "it has another address now";
  EXPECT_EQ(outcome([](Store& s) {
              s.PutNode(NodeObject("bear", "10.0.0.1"));
              s.RemoveNode("bear");
            }),
            fine);
  EXPECT_EQ(outcome([&](Store& s) { s.PutMachine(key, machine); }), taken);
  EXPECT_EQ(outcome([&](Store& s) {
              s.PutMachine(key, machine);
              s.RemoveMachine(key);
            }),
            fine);
}

TEST(Store, RemembersUsedOneTimeEntries) {
  Store store;
  FakeWorld world = FakeWorld::Client();
  Machine entry = world.machines.front();
  entry.is_entry = entry.one_time = true;
  entry.name = "panda";
  const MachineKey key{.rank = 1000, .name_space = "file", .name = "panda"};
  store.PutMachine(key, entry);
  store.MarkUsed(key, "another");
  store.PutMachine(key, entry);  // the file was read again
  store.PutCsr(CsrObject(world, "a"), true);
  EXPECT_EQ(Outcome(store, "a"), "ignore client-entry-used");
}

TEST(Store, CountsRecentRequests) {
  Store store;
  const auto now = kMachineMade;
  int number = 0;
  for (const int age : {-11, -10, -9, 0, 3599, 3600, 3601}) {
    FakeWorld world = FakeWorld::Client();
    world.csr.created = now - std::chrono::seconds(age);
    store.PutCsr(CsrObject(world, std::to_string(number++)), false);
  }
  EXPECT_EQ(store.LimitsAt(now).pending, 3U);
  EXPECT_EQ(store.LimitsAt(now).most, 100U);
  for (int i = 0; i < 3; ++i) {
    store.PutNode(NodeObject("node-" + std::to_string(i)));
  }
  EXPECT_EQ(store.LimitsAt(now).most, 103U);
  store.RemoveCsr("3");
  EXPECT_EQ(store.LimitsAt(now).pending, 2U);
}

TEST(Store, KeepsOnlyTheVerdictOfHopelessRequests) {
  Store store;
  FakeWorld world = FakeWorld::Client();
  world.request.break_signature = true;
  EXPECT_THAT(store.PutCsr(CsrObject(world, "a"), false), ElementsAre("a"));
  const auto gathered = store.Collect("a");
  ASSERT_TRUE(gathered && gathered->pending->hopeless);
  EXPECT_EQ(gathered->pending->hopeless->reason, judgement::Reason::kSignatureInvalid);
  EXPECT_EQ(gathered->pending->csr.uid, "a");
  EXPECT_TRUE(gathered->pending->csr.groups.empty());
  EXPECT_FALSE(gathered->pending->request);
  EXPECT_EQ(gathered->facts.csr, nullptr);
  EXPECT_EQ(store.LimitsAt(world.csr.created).pending, 0U);
  EXPECT_THAT(store.All(), IsEmpty());
  store.PutCsr(CsrObject(world, "a"), false);
  store.Forget(gathered->pending);
  ASSERT_TRUE(store.Collect("a")) << "another one of the name has come";
  store.Forget(store.Collect("a")->pending);
  EXPECT_EQ(Outcome(store, "a"), "gone");
}

TEST(Store, StripsRequestsBeyondTheByteLimit) {
  Store store;
  FakeWorld world = FakeWorld::Serving();
  world.csr.groups.emplace_back(1'000'000, 'x');
  for (int i = 0; i < 20; ++i) {
    store.PutCsr(CsrObject(world, std::to_string(i)), false);
  }
  EXPECT_FALSE(store.Collect("0")->pending->thin);
  const auto thin = store.Collect("19");
  ASSERT_TRUE(thin->pending->thin);
  EXPECT_TRUE(thin->pending->csr.groups.empty());
  EXPECT_EQ(thin->facts.csr, nullptr) << "it must be read again";
  EXPECT_EQ(store.LimitsAt(world.csr.created).pending, PendingCount::kMostOfANode)
      << "one node's count as few";
  const auto again = ReadPending(CsrObject(world, "19"), false);
  ASSERT_TRUE(again);
  EXPECT_NE(store.CollectFor(std::make_shared<const Pending>(*again)).facts.csr, nullptr);
  for (int i = 0; i < 10; ++i) {
    store.RemoveCsr(std::to_string(i));
  }
  store.PutCsr(CsrObject(world, "new"), false);
  EXPECT_FALSE(store.Collect("new")->pending->thin) << "there is room again";
}

TEST(Store, DropsAFloodersRequestsAndKeepsOthers) {
  Store store;
  FakeWorld flood = FakeWorld::Client();
  flood.request.break_signature = true;
  const json::Value hopeless = CsrObject(flood, "x");
  json::Value object = hopeless;
  for (std::size_t i = 0; i < Store::kMostOfOne + 1; ++i) {
    object["metadata"]["name"] = std::to_string(i);
    store.PutCsr(object, false);
  }
  EXPECT_EQ(store.Kept().size(), Store::kMostOfOne);
  EXPECT_THAT(store.PutCsr(CsrObject(FakeWorld::Client(), "a"), false), ElementsAre("a"))
      << "of the same user, with hope";
  EXPECT_THAT(store.PutCsr(CsrObject(FakeWorld::Serving(), "b"), false), ElementsAre("b"));
  store.RemoveCsr("0");
  EXPECT_THAT(store.PutCsr(hopeless, false), ElementsAre("x")) << "there is room again";
}

TEST(Limits, LeaveAllRequestsPendingIfExceeded) {
  EXPECT_FALSE((Limits{.pending = 100, .most = 100}.Exceeded()));
  const Limits limits{.pending = 101, .most = 100};
  EXPECT_TRUE(limits.Exceeded());
  const Verdict held = limits.Held();
  EXPECT_EQ(held.decision, Decision::kIgnore);
  EXPECT_EQ(held.reason, judgement::Reason::kTooManyPending);
  EXPECT_THAT(held.message, testing::AllOf(testing::HasSubstr("101"), testing::HasSubstr("100")));
  ASSERT_EQ(held.rules.size(), 1U);
  EXPECT_FALSE(held.rules[0].passed);
}

TEST(IsOurs, DependsOnSignerAndRequester) {
  const std::string client = "kubernetes.io/kube-apiserver-client-kubelet";
  const std::string serving = "kubernetes.io/kubelet-serving";
  const std::string account =
      "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
  struct Row {
    std::string signer, user;
    std::vector<std::string> groups;
    bool ours, with_tokens;
  };
  for (const Row& row : std::initializer_list<Row>{
           {client, account, {}, true, true},
           {client, account + "x", {}, false, false},
           {client, "system:bootstrap:abcdef", {}, false, true},
           {client, "system:node:a", {"system:nodes"}, false, false},
           {serving, "anybody", {"system:nodes"}, true, true},
           {serving, "system:node:a", {}, false, false},
           {"kubernetes.io/kube-apiserver-client", account, {"system:nodes"}, false, false}}) {
    const Csr csr{.username = row.user, .signer = row.signer, .groups = row.groups};
    EXPECT_EQ(IsOurs(csr, false), row.ours) << row.user;
    EXPECT_EQ(IsOurs(csr, true), row.with_tokens) << row.user;
  }
  const Csr identity{.username = "oidc:a", .signer = client, .identity_node = "a"};
  EXPECT_TRUE(IsOurs(identity, true));
  EXPECT_FALSE(IsOurs(identity, false));
}

}  // namespace
}  // namespace requests
