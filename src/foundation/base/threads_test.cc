// SPDX-License-Identifier: Apache-2.0
#include "base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "base/error.h"

namespace base {
namespace {

TEST(Threads, RunBodiesConcurrently) {
  std::atomic<int> arrived = 0;
  Threads threads;
  for (int i = 0; i < 3; ++i) {
    threads.Add([&] {
      ++arrived;
      while (arrived < 3) {
        std::this_thread::yield();
      }
    });
  }
  threads.Join();
  EXPECT_EQ(arrived, 3);
}

TEST(Threads, PropagateAnyException) {
  Threads threads;
  threads.Add([] { throw std::out_of_range("no error of ours"); });
  EXPECT_THROW(threads.Join(), std::out_of_range);
  threads.Join();  // the exception is thrown once
  threads.Add([] { throw Error("ours"); });
  EXPECT_THROW(threads.Join(), Error);
  threads.Add([] { throw 7; });
  EXPECT_THROW(threads.Join(), int);
}

TEST(Threads, ContinueIfAnotherThreadFails) {
  std::atomic<bool> done = false;
  Threads threads;
  threads.Add([] { throw std::runtime_error("first"); });
  threads.Add([&] { done = true; });
  EXPECT_THROW(threads.Join(), std::runtime_error);
  EXPECT_TRUE(done);
}

TEST(Threads, RequestAStopInTheDestructor) {
  std::atomic<bool> stopped = false;
  {
    Threads threads;
    threads.Add([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        std::this_thread::yield();
      }
      stopped = true;
      throw std::runtime_error("lost");
    });
  }
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace base
