// SPDX-License-Identifier: Apache-2.0
#include "inventories/dns_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "dns/fake_name_server.h"
#include "host/clock.h"

namespace inventories {
namespace {

using dns::FakeAnswer;
using dns::FakeNameServer;
using testing::HasSubstr;
using testing::SizeIs;

// The facts of a request after the lookup of `node`, and the objects to which they point.
struct LookedUp {
  explicit LookedUp(const FakeAnswer& answer, const std::string& node = "worker-1") {
    const FakeNameServer server(answer);
    InventoryOptions options;
    options.dns = {.domain = "x.test", .servers = {server.place()}};
    options.query_timeout = std::chrono::seconds(1);
    entry = AddDnsHost(options, node, facts, host::RealClock(), {});
  }
  judgement::Facts facts;
  judgement::MachinePtr entry;
};

TEST(AddDnsHost, AddsTheAddressesAndBothNames) {
  const LookedUp found({.a = {"10.0.0.5"}, .aaaa = {"fd00::5"}});
  ASSERT_THAT(found.facts.owning, SizeIs(1));
  EXPECT_EQ(found.facts.named, found.facts.owning);
  const judgement::Machine& entry = *found.facts.owning[0];
  std::string text;
  for (const judgement::Address& address : entry.addresses) {
    text += address.type + "=" + address.address + " ";
  }
  EXPECT_EQ(text,
            "InternalIP=10.0.0.5 InternalIP=fd00::5 Hostname=worker-1.x.test "
            "InternalDNS=worker-1 ");
  EXPECT_EQ(entry.SourceName(), "dns");
  EXPECT_TRUE(entry.is_entry);
  EXPECT_FALSE(entry.HasWindow());
}

TEST(AddDnsHost, AddsNoEntryForAnUnknownHost) {
  for (const FakeAnswer& answer :
       {FakeAnswer{.code = dns::ResponseCode::kNxDomain}, FakeAnswer{}}) {
    const LookedUp unknown(answer);
    EXPECT_THAT(unknown.facts.owning, SizeIs(0));
    EXPECT_EQ(unknown.facts.machines_problem, std::nullopt);
  }
}

TEST(AddDnsHost, AFailureIsAProblemOfTheMachines) {
  struct Row {
    FakeAnswer answer;
    const char* told;
  };
  for (const Row& row : {Row{{.code = dns::ResponseCode::kServerFailure}, "does not answer"},
                         Row{{.silent = true}, "no DNS server answers for worker-1.x.test"},
                         Row{{.a = {"10.0.0.5"}, .alias = "other.test"}, "is an alias in DNS"}}) {
    const LookedUp failed(row.answer);
    EXPECT_THAT(failed.facts.owning, SizeIs(0));
    EXPECT_THAT(failed.facts.machines_problem.value_or(""), HasSubstr("inventory dns: "));
    EXPECT_THAT(failed.facts.machines_problem.value_or(""), HasSubstr(row.told));
  }
}

TEST(AddDnsHost, QueriesOnlyDnsNames) {
  for (const std::string& node :
       {std::string("a b"), std::string("A"), std::string("a..b"), std::string("a\\046b"),
        std::string("*"), std::string(""), std::string(63, 'a') + "a", std::string("a\0b", 3),
        std::string("a_b"), std::string("a.")}) {
    const LookedUp refused({.a = {"10.0.0.5"}}, node);
    EXPECT_THAT(refused.facts.owning, SizeIs(0)) << node;
    EXPECT_EQ(refused.facts.machines_problem, std::nullopt) << node;
  }
}

TEST(AddDnsHost, DoesNotQueryWithoutTheInventory) {
  judgement::Facts facts;
  EXPECT_EQ(AddDnsHost({}, "worker-1", facts, host::RealClock(), {}), nullptr);
}

}  // namespace
}  // namespace inventories
