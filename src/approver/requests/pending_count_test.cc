// SPDX-License-Identifier: Apache-2.0
#include "requests/pending_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "judgement/fake_world.h"

namespace requests {
namespace {

using judgement::kMachineMade;
using judgement::Time;
using std::chrono::seconds;

constexpr const char* kNode = "system:node:evil";

TEST(PendingCount, LimitsTheCountForOneNode) {
  PendingCount count;
  for (int i = 0; i < 500; ++i) {
    count.Add(kNode, kMachineMade - seconds(i));
  }
  EXPECT_EQ(count.RecentAt(kMachineMade), PendingCount::kMostOfANode);
  count.Add("system:node:good", kMachineMade);
  EXPECT_EQ(count.RecentAt(kMachineMade), PendingCount::kMostOfANode + 1);
  for (int i = 0; i < 500; ++i) {
    count.Remove(kNode, kMachineMade - seconds(i));
  }
  EXPECT_EQ(count.RecentAt(kMachineMade), 1U);
}

TEST(PendingCount, CountsEveryRequestOfAUserSharedByMachines) {
  PendingCount count;
  for (int i = 0; i < 500; ++i) {
    count.Add("system:bootstrap:abcdef", kMachineMade);
    count.Add("bootstrapper", kMachineMade);
  }
  EXPECT_EQ(count.RecentAt(kMachineMade), 1000U);
}

TEST(PendingCount, OldRequestsDoNotReplaceRecentOnes) {
  PendingCount count;
  count.Add(kNode, kMachineMade);
  for (int i = 0; i < 50; ++i) {
    count.Add(kNode, kMachineMade - std::chrono::hours(2));
  }
  EXPECT_EQ(count.RecentAt(kMachineMade), 1U);
}

// Compares the count with a naive count after each change.
TEST(PendingCount, IsCorrectForAnyOrderOfAdditionsAndRemovals) {
  PendingCount count;
  std::map<std::string, std::vector<Time>> plain;
  std::mt19937 random(1);
  for (int step = 0; step < 5000; ++step) {
    const std::string user = "system:node:" + std::to_string(random() % 3);
    std::vector<Time>& times = plain[user];
    if (times.empty() || random() % 5 < 3) {
      times.push_back(kMachineMade - seconds(random() % 20));
      count.Add(user, times.back());
    } else {
      const auto gone = times.begin() + static_cast<std::ptrdiff_t>(random() % times.size());
      count.Remove(user, *gone);
      times.erase(gone);
    }
    std::size_t want = 0;
    for (const auto& [name, all] : plain) {
      want += std::min(all.size(), PendingCount::kMostOfANode);
    }
    ASSERT_EQ(count.RecentAt(kMachineMade), want) << step;
  }
}

}  // namespace
}  // namespace requests
