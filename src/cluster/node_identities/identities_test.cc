// SPDX-License-Identifier: Apache-2.0
#include "node_identities/identities.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "json/value.h"
#include "kube/fake_cluster.h"
#include "node_identities/cluster.h"

namespace node_identities {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::chrono::sys_seconds kAt{std::chrono::seconds(1'767'225'600)};  // 2026-01-01

TokenBinding Binding() {
  return {.token_id = "abcdef",
          .node = "worker-1",
          .once = true,
          .cidrs = {net::Cidr::Parse("10.0.0.0/24").value()},
          .created = kAt};
}

json::Value MapOf(const std::string& key, const std::string& value) {
  return {{"data", {{key, value}}}};
}

TEST(ReadIdentities, ReadsBackWrittenIdentities) {
  const TokenBinding binding = Binding();
  const Withdrawal withdrawal{.node = "worker-2", .since = kAt};
  const Identities read = ReadIdentities({{"data",
                                           {{"tokens", "bound-only"},
                                            {KeyOf(binding), ValueOf(binding)},
                                            {KeyOf(withdrawal), ValueOf(withdrawal)}}}});
  EXPECT_TRUE(read.only_bound_tokens);
  EXPECT_THAT(read.bindings, ElementsAre(binding));
  EXPECT_THAT(read.withdrawals, ElementsAre(withdrawal));
  ASSERT_NE(read.FindBinding("abcdef"), nullptr);
  EXPECT_EQ(read.FindBinding("abcdeg"), nullptr);
  EXPECT_NE(read.FindWithdrawal("worker-2"), nullptr);
  EXPECT_EQ(read.FindWithdrawal("worker-1"), nullptr);
}

TEST(ReadIdentities, ReadsAnEmptyMapAsNoBindings) {
  for (const json::Value& map : {json::Value::object(), json::Value{{"data", nullptr}}}) {
    const Identities read = ReadIdentities(map);
    EXPECT_FALSE(read.only_bound_tokens);
    EXPECT_THAT(read.bindings, IsEmpty());
  }
}

// If this content were ignored, the binding would be weaker than the administrator meant.
TEST(ReadIdentities, RefusesUnknownContent) {
  const std::string created = R"("created":"2026-01-01T00:00:00Z")";
  const std::pair<std::string, std::string> cases[] = {
      {"tokens", "bound"},
      {"tokens.abcdef", R"({"node":"a",)" + created + "}"},
      {"token.abcdef", "worker-1"},
      {"token.abcdef", "[]"},
      {"token.abcdef", R"({"node":"a"})"},
      {"token.abcdef", R"({"node":"A",)" + created + "}"},
      {"token.abcdef", "{" + created + "}"},
      {"token.abcdef", R"({"node":"a","once":"true",)" + created + "}"},
      {"token.abcdef", R"({"node":"a","cidr":["10.0.0.0/8"],)" + created + "}"},
      {"token.abcdef", R"({"node":"a","cidrs":"10.0.0.0/8",)" + created + "}"},
      {"token.abcdef", R"({"node":"a","cidrs":["10.0.0.1"],)" + created + "}"},
      {"withdrawn.worker-1", "{}"},
      {"withdrawn.", R"({"since":"2026-01-01T00:00:00Z"})"},
  };
  for (const auto& [key, value] : cases) {
    const base::Error error = base::Thrown([&] { ReadIdentities(MapOf(key, value)); });
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid) << key << " " << value;
    EXPECT_THAT(error.message(), HasSubstr("\"" + key + "\"")) << value;
  }
}

TEST(Description, NamesEachRestriction) {
  EXPECT_EQ(Description(Binding()), "bound to node worker-1, once, addresses in 10.0.0.0/24");
  EXPECT_EQ(Description({.token_id = "abcdef", .node = "a"}), "bound to node a");
}

using InCluster = kube::FakeCluster;

TEST_F(InCluster, EachWriteChangesOneKey) {
  EXPECT_FALSE(FetchIdentities(client_).only_bound_tokens);
  StoreOnlyBoundTokens(client_, true);
  StoreBinding(client_, Binding());
  StoreWithdrawal(client_, {.node = "worker-2", .since = kAt});
  StoreOnlyBoundTokens(client_, true);
  Identities read = FetchIdentities(client_);
  EXPECT_TRUE(read.only_bound_tokens);
  EXPECT_THAT(read.bindings, ElementsAre(Binding()));
  EXPECT_EQ(read.withdrawals.size(), 1U);
  RemoveEntries(client_, {KeyOf(Binding()), "token.absent"});
  StoreOnlyBoundTokens(client_, false);
  read = FetchIdentities(client_);
  EXPECT_FALSE(read.only_bound_tokens);
  EXPECT_THAT(read.bindings, IsEmpty());
  EXPECT_EQ(read.withdrawals.size(), 1U);
}

}  // namespace
}  // namespace node_identities
