// SPDX-License-Identifier: Apache-2.0
#include "host/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace host {
namespace {

bool IsClosed(int fd) { return ::fcntl(fd, F_GETFD) < 0 && errno == EBADF; }

// Takes the lowest free number. Without /dev/null, reads and writes fail, but the number is taken.
bool Occupy() { return ::open("/dev/null", O_RDWR) >= 0 || ::open("/", O_PATH) >= 0; }

bool IsReaderGone(int fd) {
  pollfd asked{.fd = fd, .events = POLLOUT, .revents = 0};
  return ::poll(&asked, 1, 0) == 1 && (asked.revents & POLLERR) != 0;
}

}  // namespace

void OpenStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (IsClosed(fd) && !Occupy()) {
      std::_Exit(EXIT_FAILURE);  // the failure cannot be reported
    }
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // beyond a file size limit writes fail, and are reported
}

std::size_t TerminalColumns() {
  winsize size{};
  const bool told = ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return told ? size.ws_col : 0;
}

int FinishOutput(std::ostream& out, std::ostream& err, int status) {
  out.flush();
  if (out) {
    return status;
  }
  if (!IsReaderGone(STDOUT_FILENO)) {
    err << "error: not all of the output could be written: is the disk full?" << std::endl;
  }
  return status == 0 ? EXIT_FAILURE : status;
}

}  // namespace host
