// SPDX-License-Identifier: Apache-2.0
// Bootstrap tokens and identities that are bound to a node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judgement/fake_cases.h"
#include "judgement/judge.h"

namespace judgement {
namespace {

const std::string kOther = "ignore client-token-of-another-node";
const std::string kUnbound = "retry client-token-not-bound";
const std::string kNotAllowed = "retry serving-address-not-allowed";

Machine Bound(const std::string& node, const std::string& id = "abcdef") {
  return {.source = Source::kTokens,
          .api_group = {},
          .name = node,
          .created = kMachineMade,
          .node_ref = {},
          .addresses = {{"InternalDNS", node}},
          .is_entry = true,
          .used_by = {},
          .provider_id = {},
          .client_only = true,
          .token_id = id};
}

Machine Entry(const std::string& name) {
  return {.source = Source::kConfigMap,
          .api_group = {},
          .name = name,
          .node_ref = {},
          .addresses = {{"InternalDNS", name}},
          .is_entry = true,
          .used_by = {},
          .provider_id = {}};
}

Machine Withdrawn(const std::string& node) {
  Machine entry = Bound(node);
  entry.source = Source::kWithdrawn;
  entry.token_id = "";
  return entry;
}

// The owner of token abcdef, which is bound to panda, requests panda.
FakeWorld ByToken() {
  FakeWorld world = FakeWorld::Client();
  world.csr.username = "system:bootstrap:abcdef";
  world.csr.groups = {"system:bootstrappers", "system:bootstrappers:kubeadm:node-bound-token",
                      "system:authenticated"};
  world.machines = {Bound("panda")};
  world.policy.bootstrap_tokens = true;
  world.policy.bound_tokens = true;
  return world;
}

std::string KeyId(const FakeWorld& world) {
  return pki::ReadRequest(pki::FakeRequestPem(world.request))->key_id;
}

// Returns requests for panda and for other names, by a requester whose node is panda.
std::vector<Case> OwnNodeOnly() {
  const auto ask = [](const std::string& name) { return [=](FakeWorld& w) { AskFor(w, name); }; };
  return {
      {"its node", [](FakeWorld&) {}, kClientOk},
      {"another", ask("bear"), kOther},
      {"capitals", ask("PANDA"), kOther},
      {"a dot at the end", ask("panda."), kOther},
      {"a longer name", ask("panda-1"), kOther},
      {"a name below it", ask("a.panda"), kOther},
      {"the node exists", [](FakeWorld& w) { w.nodes = {"panda"}; }, "ignore client-node-exists"}};
}

TEST(BoundToken, AttestsOnlyItsOwnNode) { Check(ByToken, OwnNodeOnly()); }

TEST(BoundToken, GetsNoOtherNodeThroughAnotherInventory) {
  Check(ByToken, {{"an entry for all tokens",
                   [](FakeWorld& w) {
                     AskFor(w, "bear");
                     w.machines.push_back(Entry("bear"));
                   },
                   kOther},
                  {"another token's node",
                   [](FakeWorld& w) {
                     AskFor(w, "bear");
                     w.machines.push_back(Bound("bear", "ghijkl"));
                   },
                   kOther}});
}

TEST(BoundToken, AttestsOnlyRequestsOfItsOwnUser) {
  Check(ByToken, {{"another token, not bound",
                   [](FakeWorld& w) { w.csr.username = "system:bootstrap:ghijkl"; }, kUnbound},
                  {"another token, bound elsewhere",
                   [](FakeWorld& w) {
                     w.csr.username = "system:bootstrap:ghijkl";
                     w.machines.push_back(Bound("bear", "ghijkl"));
                   },
                   kOther},
                  {"a longer id", [](FakeWorld& w) { w.csr.username += "x"; }, kUnbound},
                  {"the machine bootstrapper",
                   [](FakeWorld& w) {
                     w.csr.username = FakeWorld::Client().csr.username;
                     w.csr.groups = FakeWorld::Client().csr.groups;
                   },
                   kNoMachine},
                  {"a user in the group", [](FakeWorld& w) { w.csr.username = "abcdef"; },
                   "ignore client-not-bootstrapper"},
                  {"a user outside of the group",
                   [](FakeWorld& w) { w.csr.groups = {"system:authenticated"}; },
                   "ignore client-not-bootstrapper"}});
}

TEST(BoundToken, LeavesUnboundTokensToOtherInventories) {
  Check(ByToken, {{"an entry for all tokens",
                   [](FakeWorld& w) {
                     w.csr.username = "system:bootstrap:ghijkl";
                     w.machines.push_back(Entry("panda"));
                   },
                   kClientOk}});
}

TEST(BoundToken, AOneTimeTokenAttestsOneKey) {
  FakeWorld world = ByToken();
  world.machines.front().one_time = true;
  EXPECT_EQ(world.Outcome(), kClientOk);
  world.machines.front().used_by = KeyId(world);
  EXPECT_EQ(world.Outcome(), kClientOk) << "the kubelet requests again with its key";
  world.csr.uid = "uid-2";
  EXPECT_EQ(world.Outcome(), kClientOk);
  world.request.key = pki::FakeKey::kP384;
  EXPECT_EQ(world.Outcome(), "ignore client-entry-used");
}

// Between the issue of the first certificate and the creation of the Node, a stolen token must not
// get a second certificate.
TEST(BoundToken, GetsNoSecondKeyUntilTheNodeExists) {
  FakeWorld world = ByToken();
  world.in_flight = {{.name = "csr-0",
                      .created = kMachineMade + std::chrono::seconds(30),
                      .issued = true,
                      .key_id = KeyId(world)}};
  EXPECT_EQ(world.Outcome(), kClientOk) << "the same key";
  world.request.key = pki::FakeKey::kP384;
  EXPECT_EQ(world.Outcome(), "retry certificate-in-flight");
  world.machines.front().created = kMachineMade + std::chrono::seconds(60);
  EXPECT_EQ(world.Outcome(), kClientOk) << "the token was created after that certificate";
  world.in_flight.front().issued = false;
  EXPECT_EQ(world.Outcome(), "retry certificate-in-flight");
}

// A user of an issuer, whose identity names panda, requests panda.
FakeWorld ByIdentity() {
  FakeWorld world = ByToken();
  world.csr.username = "oidc:panda";
  world.csr.identity_node = "panda";
  world.machines.clear();
  return world;
}

TEST(Identity, AttestsOnlyItsOwnNode) {
  Check(ByIdentity, OwnNodeOnly());
  const auto names = [](const std::string& node) {
    return [=](FakeWorld& w) { w.csr.identity_node = node; };
  };
  Check(ByIdentity,
        {{"an identity of another node", names("bear"), kOther},
         {"an identity of several nodes", names(""), kOther},
         {"an identity in capitals", names("PANDA"), kOther},
         {"no identity", [](FakeWorld& w) { w.csr.identity_node.reset(); },
          "ignore client-not-bootstrapper"},
         {"the node was withdrawn", [](FakeWorld& w) { w.machines.push_back(Withdrawn("panda")); },
          "retry node-withdrawn"}});
}

TEST(Identity, GetsNoOtherNodeThroughAnotherInventory) {
  Check(ByIdentity, {{"an entry for all tokens",
                      [](FakeWorld& w) {
                        AskFor(w, "bear");
                        w.machines.push_back(Entry("bear"));
                      },
                      kOther},
                     {"a token's node",
                      [](FakeWorld& w) {
                        AskFor(w, "bear");
                        w.machines.push_back(Bound("bear"));
                      },
                      kOther}});
}

TEST(Identity, NeedsTheInventoryOfTokens) {
  Check(ByIdentity, {{"without it", [](FakeWorld& w) { w.policy.bound_tokens = false; }, kUnbound},
                     {"without any inventory of entries",
                      [](FakeWorld& w) { w.policy.bootstrap_tokens = false; },
                      "ignore client-not-bootstrapper"}});
}

TEST(Identity, MustRequestSoonAfterTheCreationOfItsMachine) {
  const auto created = [](std::chrono::seconds before) {
    return [=](FakeWorld& w) { w.csr.identity_created = w.csr.created - before; };
  };
  Check(ByIdentity,
        {{"without a creation time", [](FakeWorld&) {}, kClientOk},
         {"a moment ago", created(std::chrono::seconds(1)), kClientOk},
         {"two hours ago", created(std::chrono::hours(2)), "ignore client-outside-time-window"},
         {"later", created(std::chrono::seconds(-10)), "ignore client-outside-time-window"}});
}

// A machine with the TPM that the inventory lists for panda.
FakeWorld ByTpm() {
  FakeWorld world = ByIdentity();
  world.csr.identity_endorsement_key = "sha256:a";
  Machine entry = Entry("panda");
  entry.endorsement_key = "sha256:a";
  world.machines.push_back(entry);
  return world;
}

TEST(EndorsementKey, AttestsOnlyTheNodeThatTheInventoryListsWithIt) {
  constexpr const char* kWrong = "ignore client-endorsement-key";
  Check(ByTpm,
        {{"the listed key", [](FakeWorld&) {}, kClientOk},
         {"another key", [](FakeWorld& w) { w.csr.identity_endorsement_key = "sha256:b"; }, kWrong},
         {"an entry without a key",
          [](FakeWorld& w) { w.machines.front().endorsement_key.clear(); }, kWrong},
         {"no entry", [](FakeWorld& w) { w.machines.clear(); },
          "retry client-no-machine-with-internal-dns"},
         {"another node", [](FakeWorld& w) { AskFor(w, "bear"); }, kOther},
         {"a token", [](FakeWorld& w) { w.machines = {Bound("panda")}; },
          "retry client-no-machine-with-internal-dns"},
         {"a withdrawn node", [](FakeWorld& w) { w.machines.push_back(Withdrawn("panda")); },
          "retry node-withdrawn"}});
}

TEST(EndorsementKey, IsRequiredOfEachRequesterForAnEntryWithIt) {
  FakeWorld token = ByToken();
  Machine entry = Entry("panda");
  entry.endorsement_key = "sha256:a";
  token.policy.bound_tokens = false;
  token.machines = {entry};
  EXPECT_EQ(token.Outcome(), "ignore client-endorsement-key");
  token.machines.front().endorsement_key.clear();
  EXPECT_EQ(token.Outcome(), kClientOk);
}

TEST(Identity, GetsNoSecondKeyUntilTheNodeExists) {
  FakeWorld world = ByIdentity();
  world.in_flight = {{.name = "csr-0",
                      .created = kMachineMade + std::chrono::seconds(30),
                      .issued = true,
                      .key_id = KeyId(world)}};
  EXPECT_EQ(world.Outcome(), kClientOk) << "the same key";
  world.request.key = pki::FakeKey::kP384;
  EXPECT_EQ(world.Outcome(), "retry certificate-in-flight");
}

TEST(TokenCidrs, LimitTheAddressesOfServingCertificates) {
  const auto bind = [](const std::vector<std::string>& cidrs) {
    return [=](FakeWorld& w) {
      Machine binding = Bound("panda");
      binding.cidrs = Networks(cidrs);
      w.machines.push_back(binding);
    };
  };
  const std::vector<Case> cases = {
      {"both addresses inside", bind({"10.0.0.0/24", "fd00::/8"}), "approve"},
      {"one outside", bind({"10.0.0.0/24"}), kNotAllowed},
      {"none inside", bind({"192.0.2.0/24", "2001:db8::/32"}), kNotAllowed},
      {"no bound", bind({}), "approve"},
      {"of another node",
       [](FakeWorld& w) {
         Machine binding = Bound("bear");
         binding.cidrs = Networks({"192.0.2.0/24"});
         w.machines.push_back(binding);
       },
       "approve"}};
  for (const Case& c : cases) {
    for (FakeWorld world : {FakeWorld::Serving(), FakeWorld::NodeItself()}) {
      world.policy.bound_tokens = true;
      c.spoil(world);
      EXPECT_THAT(world.Outcome(), testing::StartsWith(c.want)) << c.name;
    }
  }
}

TEST(TokenCidrs, AreTakenFromTheNewestToken) {
  FakeWorld world = FakeWorld::NodeItself();
  world.policy.bound_tokens = true;
  Machine first = Bound("panda", "aaaaaa");
  first.cidrs = Networks({"192.0.2.0/24"});
  Machine last = Bound("panda", "000000");
  last.cidrs = Networks({"10.0.0.0/8", "fd00::/8"});
  last.created += std::chrono::seconds(1);
  world.machines.insert(world.machines.end(), {first, last});
  EXPECT_THAT(world.Outcome(), testing::StartsWith("approve"));
  world.machines[1].created += std::chrono::seconds(2);
  EXPECT_EQ(world.Outcome(), kNotAllowed);
}

TEST(WithdrawnNode, GetsNoCertificateFromAnyInventory) {
  for (FakeWorld world :
       {ByToken(), FakeWorld::Client(), FakeWorld::Serving(), FakeWorld::NodeItself()}) {
    world.policy.bound_tokens = true;
    ASSERT_THAT(world.Outcome(), testing::StartsWith("approve"));
    world.machines.push_back(Withdrawn("bear"));
    EXPECT_THAT(world.Outcome(), testing::StartsWith("approve")) << "another node";
    world.machines.push_back(Withdrawn("panda"));
    EXPECT_EQ(world.Outcome(), "retry node-withdrawn");
  }
}

}  // namespace
}  // namespace judgement
