// SPDX-License-Identifier: Apache-2.0
#include "inventories/token_bindings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "judgement/machines.h"

namespace inventories {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

class Kept : public Sink {
 public:
  void Put(const judgement::MachineKey& key, judgement::Machine machine) override {
    changes.push_back("+" + key.name);
    machines.insert_or_assign(key, std::move(machine));
  }
  void Remove(const judgement::MachineKey& key) override {
    changes.push_back("-" + key.name);
    machines.erase(key);
  }
  void SetProblem(int, const std::string&, const std::optional<std::string>& text) override {
    problem = text;
  }
  std::map<judgement::MachineKey, judgement::Machine> machines;
  std::vector<std::string> changes;
  std::optional<std::string> problem;
};

std::string Value(const std::string& node) {
  return R"({"node":")" + node +
         R"(","once":true,"cidrs":["10.0.0.0/8"],"created":"2026-01-01T00:00:00Z"})";
}

json::Value Map(const std::map<std::string, std::string>& nodes) {
  json::Value data = {{"tokens", "bound-only"}};
  for (const auto& [id, node] : nodes) {
    data["token." + id] = Value(node);
  }
  return {{"data", data}};
}

TEST(TokenBindings, ApproveNothingUntilTheyAreRead) {
  Kept sink;
  TokenBindings bindings(sink);
  EXPECT_THAT(sink.problem, Optional(HasSubstr("inventory tokens")));
  bindings.TakeNone();
  EXPECT_EQ(sink.problem, std::nullopt);
  EXPECT_THAT(sink.machines, IsEmpty());
}

TEST(TokenBindings, ListAnEntryForEachNode) {
  Kept sink;
  TokenBindings bindings(sink);
  bindings.Take(Map({{"abcdef", "worker-1"}}));
  ASSERT_EQ(sink.machines.size(), 1U);
  const judgement::Machine& entry = sink.machines.begin()->second;
  EXPECT_EQ(entry.name, "worker-1");
  EXPECT_EQ(entry.token_id, "abcdef");
  EXPECT_TRUE(entry.one_time && entry.is_entry && entry.client_only);
  EXPECT_EQ(entry.cidrs.size(), 1U);
  EXPECT_EQ(sink.machines.begin()->first, KeyOf(entry));
}

TEST(TokenBindings, FollowChangesOfTheMap) {
  Kept sink;
  TokenBindings bindings(sink);
  bindings.Take(Map({{"aaaaaa", "a"}, {"bbbbbb", "b"}}));
  sink.changes.clear();
  bindings.Take(Map({{"aaaaaa", "a"}, {"bbbbbb", "c"}}));
  EXPECT_THAT(sink.changes, ElementsAre("-bbbbbb", "+bbbbbb")) << "without its earlier use";
  sink.changes.clear();
  bindings.Take(Map({{"bbbbbb", "c"}}));
  EXPECT_THAT(sink.changes, ElementsAre("-aaaaaa"));
  bindings.TakeNone();
  EXPECT_THAT(sink.machines, IsEmpty());
}

TEST(TokenBindings, ListWithdrawnNodesAsSeparateEntries) {
  Kept sink;
  TokenBindings bindings(sink);
  json::Value map = Map({{"aaaaaa", "a"}});
  map["data"]["withdrawn.a"] = R"({"since":"2026-01-01T00:00:00Z"})";
  bindings.Take(map);
  ASSERT_EQ(sink.machines.size(), 2U);
  EXPECT_EQ(sink.machines.rbegin()->second.source, judgement::Source::kWithdrawn);
  EXPECT_EQ(sink.machines.rbegin()->second.name, "a");
  bindings.Take(Map({{"aaaaaa", "a"}}));
  EXPECT_EQ(sink.machines.size(), 1U);
}

TEST(TokenBindings, ApproveNothingWhileTheMapIsMalformed) {
  Kept sink;
  TokenBindings bindings(sink);
  bindings.Take(Map({{"aaaaaa", "a"}}));
  bindings.Take({{"data", {{"token.aaaaaa", "x"}}}});
  EXPECT_THAT(sink.problem, Optional(HasSubstr("token.aaaaaa")));
  bindings.Take(Map({{"aaaaaa", "a"}}));
  EXPECT_EQ(sink.problem, std::nullopt);
}

}  // namespace
}  // namespace inventories
