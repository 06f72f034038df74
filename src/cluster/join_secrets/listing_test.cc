// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "json/value.h"

namespace join_secrets {
namespace {

using testing::HasSubstr;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1767225600)};  // 2026-01-01T00:00:00Z

TEST(TokenTable, HasStableColumnWidths) {
  const std::vector<config::BootstrapToken> tokens = {
      {.token = "abcdef.0123456789abcdef",
       .description = "the first",
       .expires = kNow + std::chrono::hours(23) + std::chrono::minutes(59),
       .usages = {"authentication", "signing"},
       .groups = {"system:bootstrappers:a", "system:bootstrappers:b"}},
      {.token = "zzzzzz.0123456789abcdef"},
      {.token = "yyyyyy.0123456789abcdef", .expires = kNow - std::chrono::hours(1)}};
  const auto lines = base::Lines(TokenTable(tokens, kNow));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "TOKEN                     TTL         EXPIRES                USAGES                   "
            "DESCRIPTION                                                EXTRA GROUPS");
  EXPECT_EQ(lines[1],
            "abcdef.0123456789abcdef   23h         2026-01-01T23:59:00Z   authentication,signing   "
            "the first                                                  "
            "system:bootstrappers:a,system:bootstrappers:b");
  EXPECT_EQ(base::Fields(lines[2]),
            (std::vector<std::string>{"zzzzzz.0123456789abcdef", "<forever>", "<never>", "<none>",
                                      "<none>", "<none>"}));
  EXPECT_THAT(lines[3], HasSubstr("<invalid>"));
}

TEST(TokenTable, CountsCharactersNotBytes) {
  std::string description;
  for (int i = 0; i < 60; ++i) {
    description += "ü";
  }
  const auto lines = base::Lines(
      TokenTable({{.token = "abcdef.0123456789abcdef", .description = description}}, kNow));
  EXPECT_EQ(lines[0].find("EXTRA GROUPS") + description.size() / 2, lines[1].rfind("<none>"));
}

TEST(TokenTable, IsEmptyWithoutTokens) { EXPECT_EQ(TokenTable({}, kNow), ""); }

TEST(TokenObject, LeavesOutEmptyMembers) {
  EXPECT_EQ(
      json::Compact(TokenObject({.token = "a"}, nullptr)),
      R"({"kind":"BootstrapToken","apiVersion":"output.kubeadm.k8s.io/v1alpha3","token":"a"})");
  EXPECT_EQ(json::Compact(TokenObject({.token = "a",
                                       .description = "d",
                                       .expires = kNow,
                                       .usages = {"signing"},
                                       .groups = {"g"}},
                                      nullptr)),
            R"({"kind":"BootstrapToken","apiVersion":"output.kubeadm.k8s.io/v1alpha3","token":"a",)"
            R"("description":"d","expires":"2026-01-01T00:00:00Z","usages":["signing"],)"
            R"("groups":["g"]})");
}

}  // namespace
}  // namespace join_secrets
