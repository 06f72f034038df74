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
