// SPDX-License-Identifier: Apache-2.0
#include "controller/thread_group.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "host/fake_host.h"

namespace controller {
namespace {

void UntilStopped(const std::stop_token& stop, std::atomic<int>& running) {
  ++running;
  running.notify_all();
  std::atomic<bool> stopped = false;
  const std::stop_callback tell(stop, [&] {
    stopped = true;
    stopped.notify_all();
  });
  stopped.wait(false);
  --running;
}

TEST(ThreadGroup, RestartsABodyThatThrows) {
  std::atomic<int> runs = 0;
  host::FakeClock clock;
  ThreadGroup group({}, clock);
  group.Add("it", [&](const std::stop_token&) {
    if (++runs == 1) {
      throw std::runtime_error("no");
    }
    if (runs == 2) {
      throw 3;  // NOLINT: any type
    }
  });
  group.Wait();
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(clock.Steady().time_since_epoch(), std::chrono::seconds(2)) << "a second each";
}

TEST(ThreadGroup, EndsWhenAThreadRequestsIt) {
  std::atomic<int> running = 0;
  std::stop_source outer;
  host::FakeClock clock;
  ThreadGroup group(outer.get_token(), clock);
  group.Add("it", [&](const std::stop_token& stop) { UntilStopped(stop, running); });
  running.wait(0);
  outer.request_stop();
  group.Wait();
  EXPECT_EQ(running, 0);
}

TEST(ThreadGroup, EndsItsThreadsWhenItsOwnerThrows) {
  std::atomic<int> running = 0;
  const auto start = [&] {
    host::FakeClock clock;
    ThreadGroup group({}, clock);
    group.Add("it", [&](const std::stop_token& stop) { UntilStopped(stop, running); });
    running.wait(0);
    throw std::runtime_error("the next one cannot start");
  };
  EXPECT_THROW(start(), std::runtime_error);
  EXPECT_EQ(running, 0);
}

TEST(ThreadGroup, RestartsNothingAfterAStop) {
  std::stop_source outer;
  outer.request_stop();
  std::atomic<int> runs = 0;
  host::FakeClock clock;
  ThreadGroup group(outer.get_token(), clock);
  group.Add("it", [&](const std::stop_token&) { ++runs; });
  group.Wait();
  EXPECT_EQ(runs, 0);
}

}  // namespace
}  // namespace controller
