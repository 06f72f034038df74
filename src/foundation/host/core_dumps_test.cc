// SPDX-License-Identifier: Apache-2.0
#include "host/core_dumps.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "host/processes.h"

namespace host {
namespace {

// Ends the process as a crash would, with permission to write a core file.
void Crash() {
  rlimit limit{};
  ::getrlimit(RLIMIT_CORE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_CORE, &limit);
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

TEST(CoreDumps, AreNotWrittenAfterACrash) {
  EXPECT_EXIT(
      {
        ForbidCoreDumps();
        Crash();
      },
      [](int status) { return WIFSIGNALED(status) && !WCOREDUMP(status); }, "");
}

TEST(CoreDumps, KeepsMemoryFromOtherProcessesOfTheUser) {
  EXPECT_EXIT(
      {
        ForbidCoreDumps();
        std::_Exit(::prctl(PR_GET_DUMPABLE) == 0 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

// An example of a child is a kubelet that an init script starts.
TEST(CoreDumps, DoesNotChangeTheSettingsOfChildren) {
  EXPECT_EXIT(
      {
        ForbidCoreDumps();
        const std::string own = RealProcesses().Run({"sh", "-c", "ulimit -c"}, {}).out;
        const std::string owner = RealProcesses().Run({"stat", "-c", "%u", "/proc/self"}, {}).out;
        std::_Exit(!own.empty() && owner == std::to_string(::geteuid()) + "\n" ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace host
