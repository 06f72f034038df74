// SPDX-License-Identifier: Apache-2.0
#include "host/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace host {
namespace {

// Runs `body` in a child process and returns its exit status.
template <typename Body>
int StatusOf(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool IsDevNull(int fd) {
  struct stat found{};
  struct stat null{};
  return ::fstat(fd, &found) == 0 && ::stat("/dev/null", &null) == 0 &&
         found.st_rdev == null.st_rdev && S_ISCHR(found.st_mode);
}

TEST(OpenStandardDescriptors, OpensEveryClosedDescriptor) {
  for (int closed = 0; closed < 8; ++closed) {
    const int status = StatusOf([closed] {
      for (int fd = 0; fd < 3; ++fd) {
        if ((closed & (1 << fd)) != 0) {
          ::close(fd);
        }
      }
      OpenStandardDescriptors();
      for (int fd = 0; fd < 3; ++fd) {
        if ((closed & (1 << fd)) != 0 && !IsDevNull(fd)) {
          return 10 + fd;
        }
      }
      return ::open("/dev/null", O_RDONLY) > 2 ? 0 : 20;
    });
    EXPECT_EQ(status, 0) << "closed: " << closed;
  }
}

TEST(OpenStandardDescriptors, TurnsTheFileSizeSignalIntoAnError) {
  EXPECT_EQ(StatusOf([] {
              OpenStandardDescriptors();
              const rlimit none{.rlim_cur = 0, .rlim_max = 0};
              const int fd = ::open("/tmp", O_TMPFILE | O_WRONLY, 0600);
              return fd >= 0 && ::setrlimit(RLIMIT_FSIZE, &none) == 0 &&
                             ::write(fd, "x", 1) == -1 && errno == EFBIG
                         ? 0
                         : 1;
            }),
            0);
}

TEST(OpenStandardDescriptors, TurnsABrokenPipeSignalIntoAnError) {
  EXPECT_EQ(StatusOf([] {
              OpenStandardDescriptors();
              int ends[2];
              if (::pipe(ends) != 0) {
                return 1;
              }
              ::close(ends[0]);
              return ::write(ends[1], "x", 1) < 0 && errno == EPIPE ? 0 : 2;
            }),
            0);
}

TEST(FinishOutput, KeepsTheExitStatusIfAllOutputIsWritten) {
  std::ostringstream out;
  std::ostringstream err;
  out << "text";
  EXPECT_EQ(FinishOutput(out, err, 0), 0);
  EXPECT_EQ(FinishOutput(out, err, 3), 3);
  EXPECT_EQ(err.str(), "");
}

TEST(TerminalColumns, DescribeTheStandardOutput) {
  EXPECT_EQ(StatusOf([] {
              const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
              ::grantpt(terminal);
              ::unlockpt(terminal);
              const int output = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
              const winsize size{.ws_row = 24, .ws_col = 61};
              ::ioctl(output, TIOCSWINSZ, &size);
              ::dup2(output, STDOUT_FILENO);
              return static_cast<int>(TerminalColumns());
            }),
            61);
  EXPECT_EQ(StatusOf([] {
              ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
              return static_cast<int>(TerminalColumns());
            }),
            0);
}

TEST(FinishOutput, ReportsLostOutput) {
  std::ofstream full("/dev/full");
  std::ostringstream err;
  full << "text";
  EXPECT_EQ(FinishOutput(full, err, 0), 1);
  EXPECT_EQ(err.str(), "error: not all of the output could be written: is the disk full?\n");
  EXPECT_EQ(FinishOutput(full, err, 3), 3);
}

}  // namespace
}  // namespace host
