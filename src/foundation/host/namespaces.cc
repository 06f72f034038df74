// SPDX-License-Identifier: Apache-2.0
#include "host/namespaces.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "host/descriptor.h"

namespace host {
namespace {

constexpr int kNotStarted = 127;
constexpr int kSignalled = 128;

// The mount namespace comes last, because the paths of the other namespaces exist only in the
// current one.
constexpr std::array<std::string_view, 5> kNamespaces = {"cgroup", "ipc", "uts", "net", "mnt"};

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) {
    pointers.push_back(string.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// The child's part: only calls that are safe between fork and exec.
[[noreturn]] void Become(char* const* argv, char* const* environment, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() == parent) {  // otherwise the parent died before the call
    ::execve(argv[0], argv, environment);
  }
  _exit(kNotStarted);
}

// Waits without reaping, so that the process id stays the child's.
void AwaitEnd(pid_t child) {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

}  // namespace

void EnterNamespaces(int pid) {
  const std::string root_path = fmt::format("/proc/{}/root", pid);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
  const Descriptor root(::open(root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const std::string_view name : kNamespaces) {
    const std::string path = fmt::format("/proc/{}/ns/{}", pid, name);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
    const Descriptor space(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!space.valid() || ::setns(space.get(), 0) != 0) {
      throw SystemError("unable to enter namespace " + path, errno);
    }
  }
  // The process may have changed its root directory within its mount namespace (chroot(2)).
  if (!root.valid() || ::fchdir(root.get()) != 0 || ::chroot(".") != 0) {
    throw SystemError("unable to enter " + root_path, errno);
  }
}

SharedDirectory::SharedDirectory(const std::string& directory)
    : descriptor_(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (!descriptor_.valid()) {
    throw SystemError("cannot open " + directory, errno);
  }
}

std::string SharedDirectory::path() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_.get());
}

int RunAttached(const AttachedProgram& program, const std::stop_token& stop) {
  std::vector<std::string> words = program.argv;
  std::vector<std::string> variables;
  for (const auto& [name, value] : program.environment) {
    variables.push_back(fmt::format("{}={}", name, value));
  }
  const std::vector<char*> argv = Pointers(words);
  const std::vector<char*> environment = Pointers(variables);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    throw SystemError("unable to start " + program.argv.front(), errno);
  }
  if (child == 0) {
    Become(argv.data(), environment.data(), parent);
  }
  {
    const std::stop_callback pass_on(stop, [child] { ::kill(child, SIGTERM); });
    AwaitEnd(child);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

void ExitAtOnce(int status) { _exit(status); }

}  // namespace host
