// SPDX-License-Identifier: Apache-2.0
#include "controller/readiness.h"

#include <gtest/gtest.h>

#include <thread>

namespace controller {
namespace {

TEST(Readiness, IsReachedWhenEveryNeedIsMet) {
  Readiness readiness;
  EXPECT_TRUE(readiness.Reached()) << "nothing is needed";
  const auto first = readiness.Need();
  const auto second = readiness.Need();
  first();
  first();
  EXPECT_FALSE(readiness.Reached()) << "the first was told twice";
  std::jthread waiter([&](const std::stop_token& stop) { EXPECT_TRUE(readiness.Wait(stop)); });
  second();
  waiter.join();
  EXPECT_TRUE(readiness.Reached());
}

TEST(Readiness, AStopEndsTheWait) {
  Readiness readiness;
  const auto never = readiness.Need();
  std::jthread waiter([&](const std::stop_token& stop) { EXPECT_FALSE(readiness.Wait(stop)); });
  waiter.request_stop();
  waiter.join();
}

}  // namespace
}  // namespace controller
