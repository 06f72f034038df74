// SPDX-License-Identifier: Apache-2.0
#include "requests/work_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "host/fake_host.h"

namespace requests {
namespace {

TEST(WorkQueue, HandsANameOutOnceAtATime) {
  const host::FakeClock clock;
  WorkQueue queue(clock);
  queue.Add("a");
  queue.Add("a");
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.Take({}), "a");
  queue.Add("a");
  EXPECT_EQ(queue.size(), 0U) << "it is being worked on";
  queue.Done("a");
  EXPECT_EQ(queue.Take({}), "a");
  queue.Done("a");
  EXPECT_EQ(queue.size(), 0U);
}

TEST(WorkQueue, AStopEndsTheWaitForWork) {
  const host::FakeClock clock;
  WorkQueue queue(clock);
  std::stop_source stop;
  std::optional<std::string> got = "x";
  std::jthread waiter([&] { got = queue.Take(stop.get_token()); });
  stop.request_stop();
  waiter.join();
  EXPECT_FALSE(got.has_value());
}

TEST(WorkQueue, AddLaterQueuesTheNameAfterThePause) {
  const host::RealClock clock;
  WorkQueue queue(clock);
  queue.AddLater("a");
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.Take({}), "a");
}

TEST(WorkQueue, DoublesThePauseUntilTheNameIsForgotten) {
  host::FakeClock clock;
  WorkQueue queue(clock);
  const auto expect_pause = [&](std::chrono::seconds pause) {
    constexpr std::chrono::nanoseconds kMoment{1};
    queue.AddLater("a");
    clock.Advance(pause - kMoment);
    queue.Add("other");
    EXPECT_EQ(queue.Take({}), "other") << pause;
    queue.Done("other");
    EXPECT_EQ(queue.size(), 0U) << pause;
    clock.Advance(kMoment);
    EXPECT_EQ(queue.Take({}), "a");
    queue.Done("a");
  };
  for (const int seconds : {1, 2, 4, 8, 16, 32, 64, 120, 120}) {
    expect_pause(std::chrono::seconds(seconds));
  }
  queue.Forget("a");
  expect_pause(std::chrono::seconds(1));
}

TEST(WorkQueue, AlternatesBetweenRequesters) {
  const host::FakeClock clock;
  WorkQueue queue(clock,
                  {.requester_of = [](const std::string& name) { return name.substr(0, 1); }});
  for (const char* name : {"a1", "a2", "a3", "b1", "c1", "b2"}) {
    queue.Add(name);
  }
  std::string order;
  for (int i = 0; i < 6; ++i) {
    const std::string name = *queue.Take({});
    order += name + " ";
    queue.Done(name);
  }
  EXPECT_EQ(order, "a1 b1 c1 a2 b2 a3 ");
  EXPECT_EQ(queue.remembered(), 0U);
}

TEST(WorkQueue, LimitsTheWorkersOfARequester) {
  const host::FakeClock clock;
  WorkQueue queue(clock, {.requester_of = [](const std::string& name) { return name.substr(0, 1); },
                          .at_once = 1});
  for (const char* name : {"a1", "a2", "b1"}) {
    queue.Add(name);
  }
  EXPECT_EQ(queue.Take({}), "a1");
  EXPECT_EQ(queue.Take({}), "b1");
  EXPECT_EQ(queue.size(), 1U) << "a2 waits for a1";
  queue.Add("a1");
  queue.Done("a1");
  EXPECT_EQ(queue.Take({}), "a2");
  queue.Done("a2");
  EXPECT_EQ(queue.Take({}), "a1");
}

TEST(WorkQueue, DropsRemovedNames) {
  const host::FakeClock clock;
  WorkQueue queue(clock);
  for (int i = 0; i < 100; ++i) {
    queue.AddLater(std::to_string(i));
    queue.Drop(std::to_string(i));
  }
  EXPECT_EQ(queue.remembered(), 0U);
}

}  // namespace
}  // namespace requests
