// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace base {
namespace {

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { SetVerbosity(0); }
};

TEST_F(LogTest, WritesLinesInKlogFormat) {
  testing::internal::CaptureStderr();
  LogWarning("field {} is {}", "a.b", 7);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex(
                  "W[0-9]{4} [0-9:]{8}\\.[0-9]{6} +[0-9]+ log_test.cc:[0-9]+\\] field a.b is 7\n"));
}

TEST_F(LogTest, LogsHigherLevelsOnlyIfVerbose) {
  testing::internal::CaptureStderr();
  LogInfo(1, "hidden");
  SetVerbosity(2);
  LogInfo(2, "shown");
  LogInfo(3, "hidden as well");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, testing::HasSubstr("] shown\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("hidden")));
}

TEST_F(LogTest, AFileMayHaveItsOwnLevel) {
  SetVerbosity(0, "other=9,log_*=4");
  EXPECT_TRUE(Verbose(4));
  EXPECT_FALSE(Verbose(5));
}

TEST_F(LogTest, RefusesInvalidPatterns) {
  for (const char* text : {"a", "a=", "=1", "a=x", "a=1x", "a=-1"}) {
    EXPECT_THROW(SetVerbosity(0, text), Error) << text;
  }
}

}  // namespace
}  // namespace base
