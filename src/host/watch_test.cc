#include "host/watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "host/fake_host.h"
#include "host/file_lock.h"

namespace host {
namespace {

using namespace std::chrono_literals;

class WatchTest : public testing::Test {
 protected:
  // After the first look the change is made from another thread; only then can the second see it.
  WaitResult WaitWhile(const fs::path& path, const std::function<void()>& change) {
    std::jthread changer;
    return WaitForFile(files_, path,
                       [&] {
                         ++looks_;
                         if (!changer.joinable()) {
                           changer = std::jthread([&] { change(); });
                         }
                         return files_.Exists(path);
                       },
                       {.deadline = std::chrono::steady_clock::now() + 60s});
  }

  TemporaryFolder folder_;
  RealFiles files_{folder_.path()};
  std::atomic<int> looks_ = 0;
};

TEST_F(WatchTest, AFileThatAppearsIsSeen) {
  EXPECT_EQ(WaitWhile("/kubelet.conf", [&] { files_.Write("/kubelet.conf", "x", {}); }),
            WaitResult::kHappened);
}

TEST_F(WatchTest, TheFolderMayAppearLater) {
  EXPECT_EQ(WaitWhile("/a/b/c/file", [&] { files_.Write("/a/b/c/file", "x", {}); }),
            WaitResult::kHappened);
}

TEST_F(WatchTest, WhatIsThereAlreadyNeedsOneLook) {
  files_.Write("/file", "x", {});
  EXPECT_EQ(WaitWhile("/file", [] {}), WaitResult::kHappened);
  EXPECT_EQ(looks_, 1);
}

TEST_F(WatchTest, AChangedContentIsSeen) {
  files_.Write("/file", "1", {});
  std::jthread changer;
  const WaitResult result = WaitForFile(files_, "/file", [&] {
    if (!changer.joinable()) {
      changer = std::jthread([&] { files_.Write("/file", "2", {}); });
    }
    return files_.Read("/file") == "2";
  });
  EXPECT_EQ(result, WaitResult::kHappened);
}

TEST_F(WatchTest, TheDeadlineEndsIt) {
  EXPECT_EQ(WaitForFile(files_, "/none", [] { return false; },
                        {.deadline = std::chrono::steady_clock::now()}),
            WaitResult::kDeadline);
}

TEST_F(WatchTest, AStopEndsIt) {
  std::stop_source source;
  std::jthread stopper;
  const WaitResult result = WaitForFile(files_, "/none",
                                        [&] {
                                          if (!stopper.joinable()) {
                                            stopper = std::jthread([&] { source.request_stop(); });
                                          }
                                          return false;
                                        },
                                        {.stop = source.get_token()});
  EXPECT_EQ(result, WaitResult::kStopped);
}

TEST_F(WatchTest, WhatTheQuestionThrowsComesOut) {
  EXPECT_THROW(WaitForFile(files_, "/none", []() -> bool { throw base::Error("kubelet died"); }),
               base::Error);
}

TEST(FileLockTest, ExcludesOthersAsLongAsItLives) {
  FakeHost fake;
  {
    const std::optional<FileLock> first = FileLock::Try(fake.files, "/run/slipway/lock");
    ASSERT_TRUE(first);
    EXPECT_FALSE(FileLock::Try(fake.files, "/run/slipway/lock"));
    EXPECT_EQ(fake.files.Stat("/run/slipway/lock")->mode, 0600U);
  }
  EXPECT_TRUE(FileLock::Try(fake.files, "/run/slipway/lock"));
}

TEST(FileLockTest, PatienceEndsWithTheHoldersName) {
  FakeHost fake;
  const std::optional<FileLock> first = FileLock::Try(fake.files, "/lock");
  try {
    FileLock::Acquire(fake.files, "/lock", {.clock = fake.clock, .timeout = 5s});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
    EXPECT_NE(std::string(error.what()).find(std::to_string(::getpid())), std::string::npos);
  }
}

TEST(FileLockTest, AStopEndsPatience) {
  FakeHost fake;
  const std::optional<FileLock> first = FileLock::Try(fake.files, "/lock");
  std::stop_source source;
  source.request_stop();
  try {
    FileLock::Acquire(fake.files, "/lock",
                      {.clock = fake.clock, .timeout = 5s, .stop = source.get_token()});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Error::Kind::kCancelled);
  }
}

TEST(FileLockTest, AcquireTakesAFreeLock) {
  FakeHost fake;
  const FileLock lock =
      FileLock::Acquire(fake.files, "/lock", {.clock = fake.clock, .timeout = 0s});
  EXPECT_FALSE(FileLock::Try(fake.files, "/lock"));
}

}  // namespace
}  // namespace host
