// SPDX-License-Identifier: Apache-2.0
#include "reports/event_allowance.h"

#include <gtest/gtest.h>

namespace reports {
namespace {

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'700'000'000)};

int TakeAll(EventAllowance& allowance, const std::string& requester, std::chrono::sys_seconds now) {
  int taken = 0;
  while (taken < 10'000 && allowance.Take(requester, now)) {
    ++taken;
  }
  return taken;
}

TEST(EventAllowance, IsSeparateForEachRequesterAndRefillsWithTime) {
  EventAllowance allowance;
  EXPECT_EQ(TakeAll(allowance, "a", kNow), EventAllowance::kBurst);
  EXPECT_EQ(TakeAll(allowance, "b", kNow), EventAllowance::kBurst);
  EXPECT_EQ(TakeAll(allowance, "a", kNow + 3 * EventAllowance::kEach), 3);
  EXPECT_EQ(TakeAll(allowance, "a", kNow + std::chrono::hours(1)), EventAllowance::kBurst);
}

TEST(EventAllowance, AClockThatIsSetBackMutesEventsOnlyBriefly) {
  EventAllowance allowance;
  TakeAll(allowance, "a", kNow);
  const auto before = kNow - std::chrono::hours(24);
  EXPECT_FALSE(allowance.Take("a", before));
  EXPECT_TRUE(allowance.Take("b", before));
  EXPECT_TRUE(allowance.Take("a", before + EventAllowance::kEach));
}

TEST(EventAllowance, BoundsTheMemoryForManyRequesters) {
  EventAllowance allowance;
  for (std::size_t i = 0; i < EventAllowance::kMostRequesters; ++i) {
    ASSERT_TRUE(allowance.Take(std::to_string(i), kNow));
  }
  EXPECT_FALSE(allowance.Take("one more", kNow));
  EXPECT_TRUE(allowance.Take("0", kNow)) << "who is known goes on";
  EXPECT_TRUE(allowance.Take("one more", kNow + EventAllowance::kEach));
}

}  // namespace
}  // namespace reports
