// SPDX-License-Identifier: Apache-2.0
#include "host/watch.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "host/file_lock.h"

namespace host {
namespace {

using namespace std::chrono_literals;

class WatchTest : public testing::Test {
 protected:
  // The change is made by another thread after the first check; only the second check can see it.
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
                       {.clock = clock_, .deadline = clock_.Steady() + 60s});
  }

  TemporaryDirectory directory_;
  RealFiles files_{directory_.path()};
  RealClock clock_;
  std::atomic<int> looks_ = 0;
};

TEST_F(WatchTest, DetectsAFileThatAppears) {
  EXPECT_EQ(WaitWhile("/kubelet.conf", [&] { files_.Write("/kubelet.conf", "x", {}); }),
            WaitResult::kHappened);
}

TEST_F(WatchTest, DetectsAFileInADirectoryThatAppearsLater) {
  EXPECT_EQ(WaitWhile("/a/b/c/file", [&] { files_.Write("/a/b/c/file", "x", {}); }),
            WaitResult::kHappened);
}

TEST_F(WatchTest, ChecksAnExistingFileOnce) {
  files_.Write("/file", "x", {});
  EXPECT_EQ(WaitWhile("/file", [] {}), WaitResult::kHappened);
  EXPECT_EQ(looks_, 1);
}

TEST_F(WatchTest, DetectsAChangedContent) {
  files_.Write("/file", "1", {});
  std::jthread changer;
  const WaitResult result =
      WaitForFile(files_, "/file",
                  [&] {
                    if (!changer.joinable()) {
                      changer = std::jthread([&] { files_.Write("/file", "2", {}); });
                    }
                    return files_.Read("/file") == "2";
                  },
                  {.clock = clock_});
  EXPECT_EQ(result, WaitResult::kHappened);
}

TEST_F(WatchTest, TheDeadlineEndsTheWatch) {
  FakeClock clock;
  EXPECT_EQ(WaitForFile(files_, "/none", [] { return false; },
                        {.clock = clock, .deadline = clock.Steady() + 1h}),
            WaitResult::kDeadline);
  EXPECT_EQ(clock.Steady().time_since_epoch(), 1h);
}

TEST_F(WatchTest, AStopEndsTheWatch) {
  std::stop_source source;
  std::jthread stopper;
  const WaitResult result = WaitForFile(files_, "/none",
                                        [&] {
                                          if (!stopper.joinable()) {
                                            stopper = std::jthread([&] { source.request_stop(); });
                                          }
                                          return false;
                                        },
                                        {.clock = clock_, .stop = source.get_token()});
  EXPECT_EQ(result, WaitResult::kStopped);
}

TEST_F(WatchTest, PropagatesExceptionsOfTheCondition) {
  EXPECT_THROW(WaitForFile(files_, "/none", []() -> bool { throw base::Error("kubelet died"); },
                           {.clock = clock_}),
               base::Error);
}

TEST(FileLockTest, ExcludesOthersDuringItsLifetime) {
  FakeHost fake;
  {
    const std::optional<FileLock> first = FileLock::Try(fake.files, "/run/slipway/lock");
    ASSERT_TRUE(first);
    EXPECT_FALSE(FileLock::Try(fake.files, "/run/slipway/lock"));
    EXPECT_EQ(fake.files.Stat("/run/slipway/lock")->mode, 0600U);
  }
  EXPECT_TRUE(FileLock::Try(fake.files, "/run/slipway/lock"));
}

TEST(FileLockTest, TimeoutNamesTheHolder) {
  FakeHost fake;
  const std::optional<FileLock> first = FileLock::Try(fake.files, "/lock");
  const base::Error error = base::Thrown(
      [&] { FileLock::Acquire(fake.files, "/lock", {.clock = fake.clock, .timeout = 5s}); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
  EXPECT_NE(std::string(error.what()).find(std::to_string(::getpid())), std::string::npos);
}

// Opening the file suffices to lock it, so another user's file must be refused.
TEST(FileLockTest, RefusesFilesOfOtherUsers) {
  FakeHost fake;
  const fs::path place = fake.files.Location("/pipe");
  ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
  EXPECT_THROW(FileLock::Try(fake.files, "/pipe"), base::Error);
  fake.files.Write("/secret", "text", {});
  fs::create_symlink(fake.files.Location("/secret"), fake.files.Location("/link"));
  EXPECT_THROW(FileLock::Try(fake.files, "/link"), base::Error);
  EXPECT_EQ(fake.files.Read("/secret"), "text");
  if (::geteuid() == 0) {
    fake.files.Write("/theirs", "text", {});
    ASSERT_EQ(::chown(fake.files.Location("/theirs").c_str(), 65534, 65534), 0);
    EXPECT_THROW(FileLock::Try(fake.files, "/theirs"), base::Error);
    EXPECT_EQ(fake.files.Read("/theirs"), "text");
  }
}

TEST(FileLockTest, RestrictsTheFileToItsOwner) {
  FakeHost fake;
  fake.files.Write("/lock", "", {.mode = 0644});
  ASSERT_TRUE(FileLock::Try(fake.files, "/lock"));
  EXPECT_EQ(fake.files.Stat("/lock")->mode, 0600U);
}

TEST(FileLockTest, LocksADirectoryWithoutCreatingAFile) {
  FakeHost fake;
  fake.files.MakeDirectories("/dir", 0755);
  const std::optional<FileLock> first = FileLock::TryDirectory(fake.files, "/dir");
  ASSERT_TRUE(first);
  EXPECT_FALSE(FileLock::TryDirectory(fake.files, "/dir"));
  EXPECT_TRUE(fake.files.List("/dir").empty());
  EXPECT_THROW(FileLock::TryDirectory(fake.files, "/none"), base::Error);
}

TEST(FileLockTest, AStopEndsTheWait) {
  FakeHost fake;
  const std::optional<FileLock> first = FileLock::Try(fake.files, "/lock");
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(base::InterruptionOf([&] {
              FileLock::Acquire(fake.files, "/lock",
                                {.clock = fake.clock, .timeout = 5s, .stop = source.get_token()});
            }),
            "stopped");
}

TEST(FileLockTest, AcquiresAFreeLock) {
  FakeHost fake;
  const FileLock lock =
      FileLock::Acquire(fake.files, "/lock", {.clock = fake.clock, .timeout = 0s});
  EXPECT_FALSE(FileLock::Try(fake.files, "/lock"));
}

}  // namespace
}  // namespace host
