// SPDX-License-Identifier: Apache-2.0
#include "evidence/decode.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace evidence {
namespace {

using judgement::Machine;

TEST(DecodeMachine, RefusesOtherTypesAndIgnoresTheCaseOfFieldNames) {
  const Machine machine = DecodeMachine(json::Parse(R"({"metadata":{"name":"m","namespace":"n",
        "creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-02T00:00:00Z"},
        "Status":{"ADDRESSES":[{"Type":"InternalDNS","address":"a"}],"noderef":{}}})"),
                                        "g");
  EXPECT_EQ(machine.created, judgement::Time(std::chrono::seconds(1767225600)));
  EXPECT_TRUE(machine.deleting);
  EXPECT_EQ(machine.node_ref, "");
  EXPECT_EQ(machine.addresses.at(0).address, "a");
  for (const char* bad : {R"({"status":{"addresses":{}}})", R"({"status":{"addresses":[1]}})",
                          R"({"status":{"addresses":[{"type":1}]}})", R"({"status":[]})",
                          R"({"status":{"nodeRef":"a"}})", R"({"status":{"nodeRef":{"name":1}}})",
                          R"({"metadata":{"creationTimestamp":"yesterday"}})",
                          R"({"metadata":{"creationTimestamp":5}})"}) {
    EXPECT_THROW(DecodeMachine(json::Parse(bad), "g"), base::Error) << bad;
  }
  for (const char* fine : {"{}", R"({"status":null})", R"({"status":{"addresses":null}})",
                           R"({"metadata":{"creationTimestamp":null}})"}) {
    EXPECT_NO_THROW(DecodeMachine(json::Parse(fine), "g")) << fine;
  }
}

json::Value RequestOf(const std::string& user, const json::Value& extra,
                      const std::vector<std::string>& groups = {
                          "system:bootstrappers:kubeadm:node-bound-token"}) {
  return {{"spec", {{"username", user}, {"groups", groups}, {"extra", extra}}}};
}

TEST(DecodeCsr, ReadsTheNodeOfAnIdentity) {
  const json::Value extra = {{"identity.slipway/node", {"panda"}}, {"other", {"x"}}};
  const auto node = [](const json::Value& object) { return DecodeCsr(object).csr.identity_node; };
  EXPECT_EQ(node(RequestOf("oidc:panda", extra)), "panda");
  EXPECT_EQ(node(RequestOf("oidc:panda", extra, {"system:authenticated"})), std::nullopt);
  EXPECT_EQ(node(RequestOf("system:node:panda", extra)), std::nullopt);
  EXPECT_EQ(node(RequestOf("system:bootstrap:abcdef", extra)), std::nullopt);
  EXPECT_EQ(node(RequestOf("", extra)), std::nullopt);
  EXPECT_EQ(node(RequestOf("oidc:panda", {{"other", {"x"}}})), std::nullopt);
  EXPECT_EQ(node(RequestOf("oidc:panda", "text")), std::nullopt);
  EXPECT_EQ(node(json::Value::object()), std::nullopt);
}

TEST(DecodeCsr, ReadsTheFactsOfAnIdentity) {
  const auto decoded = DecodeCsr(
      RequestOf("oidc:panda", {{"identity.slipway/node", {"panda"}},
                               {"identity.slipway/created", {"2026-01-01T00:00:00Z"}},
                               {"identity.slipway/addresses", {"10.0.0.1", "FD00::0001"}}}));
  EXPECT_EQ(decoded.csr.identity_node, "panda");
  EXPECT_EQ(decoded.csr.identity_created, judgement::Time(std::chrono::seconds(1767225600)));
  EXPECT_EQ(decoded.csr.identity_addresses, (std::vector<std::string>{"10.0.0.1", "fd00::1"}));
}

// Otherwise a misspelt limit would count as no limit.
TEST(DecodeCsr, AnIdentityWithMalformedFactsNamesNoNode) {
  for (const json::Value& facts :
       {json::Value{{"identity.slipway/created", {"yesterday"}}},
        json::Value{{"identity.slipway/created", json::Value::array()}},
        json::Value{{"identity.slipway/created", {"2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"}}},
        json::Value{{"identity.slipway/addresses", {"10.0.0"}}},
        json::Value{{"identity.slipway/addresses", std::vector<std::string>(17, "10.0.0.1")}}}) {
    json::Value extra = facts;
    extra["identity.slipway/node"] = {"panda"};
    EXPECT_EQ(DecodeCsr(RequestOf("oidc:panda", extra)).csr.identity_node, "") << facts;
  }
}

TEST(DecodeCsr, AnIdentityNamesExactlyOneNode) {
  for (const json::Value& value : {json::Value::array(), json::Value({"a", "b"}), json::Value("a"),
                                   json::Value(nullptr), json::Value({{"a", "b"}})}) {
    EXPECT_EQ(DecodeCsr(RequestOf("oidc:a", {{"identity.slipway/node", value}})).csr.identity_node,
              "")
        << value;
  }
}

}  // namespace
}  // namespace evidence
