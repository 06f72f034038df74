// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/tokens.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "kube/fake_cluster.h"
#include "kube/objects.h"

namespace join_secrets {
namespace {

using base::Error;
using kube::resources::kSecret;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

using Tokens = kube::FakeCluster;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'767'225'600)};  // 2026-01-01

config::BootstrapToken FullToken() {
  return {.token = "abcdef.0123456789abcdef",
          .description = "the first",
          .ttl = 90min,
          .usages = {"signing", "authentication"},
          .groups = {"system:bootstrappers:b", "system:bootstrappers:a"}};
}

TEST(Token, IsStoredInASecret) {
  const json::Value secret = TokenSecret(FullToken(), kNow);
  std::map<std::string, std::string> data;
  for (const auto& [key, value] : secret["data"].items()) {
    data[key] = *kube::SecretValue(secret, key);
  }
  EXPECT_EQ(data, (std::map<std::string, std::string>{
                      {"token-id", "abcdef"},
                      {"token-secret", "0123456789abcdef"},
                      {"description", "the first"},
                      {"expiration", "2026-01-01T01:30:00Z"},
                      {"usage-bootstrap-signing", "true"},
                      {"usage-bootstrap-authentication", "true"},
                      {"auth-extra-groups", "system:bootstrappers:b,system:bootstrappers:a"}}));
  EXPECT_EQ(secret["metadata"]["name"], "bootstrap-token-abcdef");
  EXPECT_EQ(secret["type"], "bootstrap.kubernetes.io/token");

  const config::BootstrapToken read = TokenFromSecret(secret);
  EXPECT_EQ(read.token, "abcdef.0123456789abcdef");
  EXPECT_EQ(read.expires, kNow + 90min);
  EXPECT_EQ(read.ttl, std::nullopt);
  EXPECT_THAT(read.usages, ElementsAre("authentication", "signing"));
  EXPECT_EQ(read.groups, FullToken().groups);
}

TEST(Token, HasNoGroupsIfTheFirstGroupIsEmpty) {
  for (const std::vector<std::string>& groups :
       std::vector<std::vector<std::string>>{{"", ""}, {"", "a"}, {"a", ""}}) {
    config::BootstrapToken token = FullToken();
    token.groups = groups;
    const std::size_t count = groups.front().empty() ? 0 : groups.size();
    EXPECT_EQ(TokenFromSecret(TokenSecret(token, kNow)).groups.size(), count);
  }
}

TEST(Token, ExpiresAtItsExpirationTime) {
  config::BootstrapToken token = FullToken();
  token.ttl = 0s;
  EXPECT_EQ(kube::SecretValue(TokenSecret(token, kNow), "expiration"), std::nullopt);
  token.expires = kNow + 24h;
  EXPECT_EQ(kube::SecretValue(TokenSecret(token, kNow), "expiration"), "2026-01-02T00:00:00Z");
  token = {.token = "abcdef.0123456789abcdef"};
  EXPECT_EQ(TokenSecret(token, kNow)["data"].size(), 2U);
}

TEST(Token, RefusesAMalformedSecret) {
  struct Case {
    std::string name;
    std::map<std::string, std::string> data;
    std::string want;
  };
  const std::string secret = "0123456789abcdef";
  for (const Case& c : std::initializer_list<Case>{
           {"bootstrap-token-abcdef", {{"token-secret", secret}}, "key \"token-id\""},
           {"bootstrap-token-abcdef", {{"token-id", "abcdef"}}, "key \"token-secret\""},
           {"bootstrap-token-other",
            {{"token-id", "abcdef"}, {"token-secret", secret}},
            "must be named \"bootstrap-token-abcdef\""},
           {"bootstrap-token-ABC", {{"token-id", "ABC"}, {"token-secret", secret}}, "the form"},
           {"bootstrap-token-abcdef",
            {{"token-id", "abcdef"}, {"token-secret", secret}, {"expiration", "tomorrow"}},
            "expiration \"tomorrow\""}}) {
    EXPECT_THAT(
        base::MessageOf([&] { TokenFromSecret(kube::Secret({"kube-system", c.name}, c.data)); }),
        HasSubstr(c.want))
        << c.want;
  }
}

TEST_F(Tokens, TokensAreListedCreatedAndDeleted) {
  PutToken(client_, FullToken(), kNow, IfExists::kFail);
  EXPECT_THAT(base::MessageOf([&] { PutToken(client_, FullToken(), kNow, IfExists::kFail); }),
              HasSubstr("a token with id \"abcdef\" already exists"));
  config::BootstrapToken changed = FullToken();
  changed.description = "changed";
  PutToken(client_, changed, kNow, IfExists::kUpdate);
  server_.Put(kSecret, kube::Secret({"kube-system", "bootstrap-token-broken"}, {},
                                    "bootstrap.kubernetes.io/token"));
  server_.Put(kSecret, kube::Secret({"kube-system", "other"}, {{"token-id", "x"}}, "Opaque"));

  const auto tokens = ListTokens(client_);
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_EQ(std::get<config::BootstrapToken>(tokens[0]).description, "changed");
  EXPECT_THAT(std::get<BrokenToken>(tokens[1]).problem, HasSubstr("bootstrap-token-broken"));

  DeleteToken(client_, "abcdef");
  EXPECT_EQ(ListTokens(client_).size(), 1U);
  EXPECT_THROW(DeleteToken(client_, "abcdef"), Error);
}

TEST_F(Tokens, CreateNeedsOnlyTheRightToCreate) {
  const auto forbid = [&] {
    server_.Inject({.what = "GET /api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef",
                    .status = 403,
                    .reason = "Forbidden"});
  };
  forbid();
  PutToken(client_, FullToken(), kNow, IfExists::kFail);
  EXPECT_EQ(ListTokens(client_).size(), 1U);
  config::BootstrapToken changed = FullToken();
  changed.description = "changed";
  forbid();
  EXPECT_THAT(base::MessageOf([&] { PutToken(client_, changed, kNow, IfExists::kFail); }),
              HasSubstr("a token with id \"abcdef\" already exists"));
  EXPECT_EQ(std::get<config::BootstrapToken>(ListTokens(client_)[0]).description, "the first");
}

}  // namespace
}  // namespace join_secrets
