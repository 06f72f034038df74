// SPDX-License-Identifier: Apache-2.0
#include "inventories/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inventories {
namespace {

using evidence::DecodeNode;
using judgement::Claim;
using testing::ElementsAre;
using testing::IsEmpty;

const Claims::Owner kPanda{.text = "Node panda", .node = "panda", .is_node = true};

TEST(Claims, FindsOtherOwnersOfANameInAnyNotation) {
  Claims claims;
  claims.Put(kPanda, {"10.0.0.1", "FD00:0::1", "Bear.Example.Com."});
  for (const char* name : {"10.0.0.1", "fd00::1", "bear.example.com", "BEAR.example.com."}) {
    EXPECT_THAT(claims.Others({"x", name}, "koala"),
                ElementsAre(Claim{.name = name, .by = "Node panda", .by_node = true}))
        << name;
    EXPECT_THAT(claims.Others({name}, "panda"), IsEmpty()) << "its own";
  }
  EXPECT_THAT(claims.Others({"", ".", "10.0.0.2"}, "koala"), IsEmpty());
}

TEST(Claims, EndWhenTheyAreReleased) {
  Claims claims;
  claims.Put(kPanda, {"10.0.0.1", "10.0.0.1", ""});
  claims.Put({.text = "Node bear", .node = "bear", .is_node = true}, {"10.0.0.1"});
  claims.Remove(kPanda, {"10.0.0.1", "10.0.0.9"});
  EXPECT_THAT(claims.Others({"10.0.0.1"}, "koala"),
              ElementsAre(Claim{.name = "10.0.0.1", .by = "Node bear", .by_node = true}));
}

TEST(DecodeNode, KeepsALimitedNumberOfAddresses) {
  json::Value node{{"metadata", {{"name", "panda"}}}};
  for (int i = 0; i < 70'000; ++i) {
    node["status"]["addresses"].push_back({{"type", "InternalIP"}, {"address", "10.0.0.1"}});
  }
  EXPECT_EQ(DecodeNode(node).addresses.size(), 256U);
}

TEST(ClaimsOf, IgnoresHostNamesThatANodeWritesIntoItsStatus) {
  EXPECT_THAT(ClaimsOf({.name = "panda",
                        .addresses = {{"Hostname", "bear"},
                                      {"InternalDNS", "*"},
                                      {"InternalIP", "10.0.0.1"},
                                      {"Hostname", "10.0.0.2"}}}),
              ElementsAre("panda", "10.0.0.1", "10.0.0.2"));
}

}  // namespace
}  // namespace inventories
