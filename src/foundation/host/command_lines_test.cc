// SPDX-License-Identifier: Apache-2.0
#include "host/command_lines.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace host {
namespace {

using testing::ElementsAre;
using testing::Optional;

constexpr const char* kOfRoot = "Name:\tkubelet\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n";

class FindCommandLineTest : public testing::Test {
 protected:
  void Run(const std::string& status, const std::string& line) {
    fake_.files.Write("/proc/7/status", status, {});
    fake_.files.Write("/proc/7/cmdline", line, {});
  }
  auto Found() { return FindCommandLine(fake_.files, 7); }

  FakeHost fake_;
};

TEST_F(FindCommandLineTest, ReadsTheArgumentsOfAProcessOfRoot) {
  EXPECT_EQ(Found(), std::nullopt) << "no such process";
  Run(kOfRoot, std::string("/usr/bin/kubelet\0--v=2\0", 23));
  EXPECT_THAT(Found(), Optional(ElementsAre("/usr/bin/kubelet", "--v=2")));
  Run(kOfRoot, "");
  EXPECT_EQ(Found(), std::nullopt) << "a thread of the kernel";
}

TEST_F(FindCommandLineTest, IgnoresProcessesOfOtherUsers) {
  for (const char* ids :
       {"1000\t1000\t1000\t1000", "1000\t0\t0\t0", "0\t1000\t0\t0", "0\t0\t0", ""}) {
    Run(std::string("Name:\tx\nUid:\t") + ids + "\n", std::string("kubelet\0--v=2\0", 14));
    EXPECT_EQ(Found(), std::nullopt) << ids;
  }
  Run("", std::string("kubelet\0", 8));
  EXPECT_EQ(Found(), std::nullopt) << "no ids at all";
}

TEST_F(FindCommandLineTest, IgnoresCommandLinesLongerThanAMebibyte) {
  Run(kOfRoot, "kubelet" + std::string(1, '\0') + std::string(1 << 20, 'x'));
  EXPECT_EQ(Found(), std::nullopt);
}

}  // namespace
}  // namespace host
