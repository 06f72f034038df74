// SPDX-License-Identifier: Apache-2.0
#include "requests/newest.h"

#include <gtest/gtest.h>

namespace requests {
namespace {

using judgement::Csr;
using std::chrono::seconds;

Csr Made(const std::string& name, int second, const std::string& user = "system:bootstrap:abcdef") {
  return {.name = name, .username = user, .created = judgement::Time(seconds(second))};
}

TEST(Newest, IsTheLatestOfTheUserForTheNode) {
  Newest newest;
  newest.Add(Made("b", 1), "panda");
  newest.Add(Made("c", 3), "panda");
  newest.Add(Made("a", 2), "panda");
  newest.Add(Made("d", 9), "bear");
  newest.Add(Made("e", 9, "system:bootstrap:another"), "panda");
  EXPECT_EQ(newest.After(Made("b", 1), "panda"), "c");
  EXPECT_EQ(newest.After(Made("a", 2), "panda"), "c");
  EXPECT_EQ(newest.After(Made("c", 3), "panda"), std::nullopt);
  EXPECT_EQ(newest.After(Made("f", 1), "nobody"), std::nullopt);
}

TEST(Newest, TreatsRequestsOfTheSameSecondAsEquallyOld) {
  Newest newest;
  newest.Add(Made("a", 1), "panda");
  newest.Add(Made("b", 1), "panda");
  EXPECT_EQ(newest.After(Made("a", 1), "panda"), std::nullopt);
  EXPECT_EQ(newest.After(Made("b", 1), "panda"), std::nullopt);
}

TEST(Newest, ForgetsRequestsThatAreNoLongerPending) {
  Newest newest;
  newest.Add(Made("a", 1), "panda");
  newest.Add(Made("b", 2), "panda");
  newest.Remove(Made("b", 2), "panda");
  newest.Remove(Made("x", 2), "nobody");
  EXPECT_EQ(newest.After(Made("a", 1), "panda"), std::nullopt);
}

}  // namespace
}  // namespace requests
