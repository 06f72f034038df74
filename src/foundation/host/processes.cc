// SPDX-License-Identifier: Apache-2.0
#include "host/processes.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "base/strings.h"
#include "host/descriptor.h"
#include "host/environment.h"

namespace host {
namespace {

using std::chrono::milliseconds;
using Instant = std::chrono::steady_clock::time_point;

// The time to wait for the end of a killed child.
constexpr std::chrono::seconds kDying{1};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe MakePipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) {
    throw SystemError("cannot make a pipe", errno);
  }
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

void SetNonBlocking(const Descriptor& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

// Blocks SIGPIPE in this thread while it writes to a child that may not read.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now{};
    while (!sigismember(&before_, SIGPIPE) && ::sigtimedwait(&pipe_, nullptr, &now) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

// The settings of a child: a separate process group, default signals, and only descriptors 0 to 2.
// At the terminal the child stays in this process's group, because only the foreground group may
// read.
class SpawnSettings {
 public:
  SpawnSettings(int in, int out, int err, Talk talk) {
    ::posix_spawn_file_actions_init(&actions);
    if (talk != Talk::kAtTerminal) {
      ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    }
    ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (talk == Talk::kToUs) {
      ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    }
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    const int group = talk == Talk::kAtTerminal ? 0 : POSIX_SPAWN_SETPGROUP;
    ::posix_spawnattr_setflags(
        &attributes, static_cast<short>(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

// The environment of this process, with the variables of `changes` added or replaced.
class EnvironmentWords {
 public:
  explicit EnvironmentWords(const std::map<std::string, std::string>& changes) {
    if (changes.empty()) {
      return;
    }
    std::map<std::string, std::string> all = RealEnvironment().All();
    for (const auto& [name, value] : changes) {
      all[name] = value;
    }
    for (const auto& [name, value] : all) {
      texts_.push_back(fmt::format("{}={}", name, value));
    }
    for (std::string& text : texts_) {
      words_.push_back(text.data());
    }
    words_.push_back(nullptr);
  }
  char* const* words() const { return words_.empty() ? environ : words_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> words_;
};

// Child is one running process with the pipes to it.
class Child {
 public:
  Child(const std::string& program, const std::vector<std::string>& argv,
        const RunOptions& options);
  ~Child() { Kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  RunResult Wait();

 private:
  enum class Ending { kExited, kTimeout, kStopped, kFlooded };

  Ending Communicate();
  // Returns the remaining time for poll(2), in milliseconds.
  int TimeUntil(Instant end) const;
  void Write();
  // Reads the available data; closes the pipe at its end.
  void Drain(Descriptor& fd, std::string& into) const;
  bool Reap();
  // Kills the child and waits a bounded time. A child that hangs in the kernel, for example because
  // a file server is dead, ends only when the kernel releases it. Then init reaps the child.
  void Kill();

  const std::string& program_;
  const RunOptions& options_;
  std::string_view unsent_;
  Instant deadline_;
  WakeOnStop wake_;
  Descriptor in_, out_, err_, pidfd_;
  pid_t pid_ = -1;  // -1 once reaped
  int status_ = 0;
  RunResult result_;
};

Child::Child(const std::string& program, const std::vector<std::string>& argv,
             const RunOptions& options)
    : program_(program),
      options_(options),
      unsent_(options.input),
      deadline_(std::chrono::steady_clock::now() + options.timeout),
      wake_(options.stop) {
  Pipe in = MakePipe();
  Pipe out = MakePipe();
  Pipe err = MakePipe();
  const SpawnSettings settings(in.read.get(), out.write.get(), err.write.get(), options.talk);
  std::vector<char*> arguments;
  for (const std::string& arg : argv) {
    arguments.push_back(const_cast<char*>(arg.c_str()));
  }
  arguments.push_back(nullptr);
  const EnvironmentWords environment(options.environment);
  const int error = ::posix_spawn(&pid_, program.c_str(), &settings.actions, &settings.attributes,
                                  arguments.data(), environment.words());
  if (error != 0) {
    pid_ = -1;
    throw SystemError(fmt::format("cannot run {}", program), error);
  }
  pidfd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  in_ = std::move(in.write);
  out_ = std::move(out.read);
  err_ = std::move(err.read);
  SetNonBlocking(in_);
  SetNonBlocking(out_);
  SetNonBlocking(err_);
  if (unsent_.empty()) {
    in_.Close();
  }
}

void Child::Write() {
  const NoPipeSignal no_signal;
  while (in_.valid() && !unsent_.empty()) {
    const ssize_t put = ::write(in_.get(), unsent_.data(), unsent_.size());
    if (put < 0 && errno == EAGAIN) {
      return;
    }
    if (put < 0 && errno != EINTR) {
      break;  // the child does not want to read, which is allowed
    }
    unsent_.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
  }
  in_.Close();
}

// Reaps the killed processes that remain in a group. Only process 1 of a container needs this call,
// because it is the parent of all orphans. In other processes the call does nothing.
void ReapGroup(pid_t group) {
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 1'000'000};
  const Instant patience = std::chrono::steady_clock::now() + kDying;
  pid_t reaped = 0;
  while ((reaped = ::waitpid(-group, nullptr, WNOHANG)) >= 0 &&
         std::chrono::steady_clock::now() < patience) {
    if (reaped == 0) {
      ::nanosleep(&kPause, nullptr);
    }
  }
}

void Child::Drain(Descriptor& fd, std::string& into) const {
  char buffer[16 * 1024];
  while (fd.valid()) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got > 0) {
      into.append(buffer, static_cast<std::size_t>(got));
      if (into.size() > options_.largest_output) {
        return;
      }
    } else if (got < 0 && errno == EAGAIN) {
      return;
    } else if (got == 0 || errno != EINTR) {
      fd.Close();
    }
  }
}

bool Child::Reap() {
  if (pid_ < 0) {
    return true;
  }
  if (options_.ends_group) {
    siginfo_t ended{};
    const auto id = static_cast<id_t>(pid_);
    if (::waitid(P_PID, id, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
      return false;
    }
    ::kill(-pid_, SIGKILL);  // once the child is reaped, another group could get its id
  }
  if (::waitpid(pid_, &status_, WNOHANG) == 0) {
    return false;
  }
  if (options_.ends_group) {
    ReapGroup(pid_);
  }
  pid_ = -1;
  return true;
}

void Child::Kill() {
  if (pid_ < 0) {
    return;
  }
  ::kill(options_.talk == Talk::kAtTerminal ? pid_ : -pid_, SIGKILL);
  const Instant patience = std::chrono::steady_clock::now() + kDying;
  while (!Reap() && std::chrono::steady_clock::now() < patience) {
    pollfd polled{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
    ::poll(&polled, 1, TimeUntil(patience));
  }
  pid_ = -1;
}

int Child::TimeUntil(Instant end) const {
  const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now()).count();
  constexpr long kWithoutPidfd = 20;  // old kernel: poll the process at this interval
  const long most = pidfd_.valid() ? 60'000 : kWithoutPidfd;
  return static_cast<int>(std::clamp<long>(left, 0, most));
}

Child::Ending Child::Communicate() {
  for (;;) {
    pollfd polled[] = {{.fd = pidfd_.get(), .events = POLLIN, .revents = 0},
                       {.fd = out_.get(), .events = POLLIN, .revents = 0},
                       {.fd = err_.get(), .events = POLLIN, .revents = 0},
                       {.fd = in_.get(), .events = POLLOUT, .revents = 0},
                       {.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    ::poll(polled, std::size(polled), TimeUntil(deadline_));
    if (polled[3].revents != 0) {
      Write();
    }
    // The order matters: everything that the child wrote before its end is in the pipe by then.
    const bool ended = Reap();
    Drain(out_, result_.out);
    Drain(err_, result_.err);
    if (std::max(result_.out.size(), result_.err.size()) > options_.largest_output) {
      return Ending::kFlooded;
    }
    if (ended) {
      return Ending::kExited;
    }
    if (options_.stop.stop_requested()) {
      return Ending::kStopped;
    }
    if (std::chrono::steady_clock::now() >= deadline_) {
      return Ending::kTimeout;
    }
  }
}

RunResult Child::Wait() {
  const Ending ending = Communicate();
  Kill();
  if (ending == Ending::kStopped) {
    throw base::Interrupted("stopped");
  }
  if (ending == Ending::kFlooded) {
    throw base::Error(fmt::format("{} has written more than {} MiB, and was stopped", program_,
                                  options_.largest_output >> 20));
  }
  result_.timed_out = ending == Ending::kTimeout;
  result_.exit_code = WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  return std::move(result_);
}

bool IsExecutable(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> RealProcesses::FindExecutable(std::string_view name) const {
  std::string text(name);
  if (text.find('/') != std::string::npos) {
    return IsExecutable(text) ? std::optional(std::move(text)) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  for (const std::string& directory : base::Split(path == nullptr ? "" : path, ':')) {
    // A relative entry would let the current directory decide what root runs.
    if (!directory.starts_with('/')) {
      continue;
    }
    if (std::string file = directory + "/" + text; !text.empty() && IsExecutable(file)) {
      return file;
    }
  }
  return std::nullopt;
}

std::string ProgramBehind(const std::string& link) {
  struct stat running{};
  std::error_code error;
  std::string path = std::filesystem::read_symlink(link, error).string();
  if (error || ::stat(link.c_str(), &running) != 0) {
    throw SystemError(fmt::format("cannot read {}", link), error ? error.value() : errno);
  }
  struct stat there{};
  if (::stat(path.c_str(), &there) != 0 || there.st_dev != running.st_dev ||
      there.st_ino != running.st_ino) {
    if (constexpr std::string_view kGone = " (deleted)"; path.ends_with(kGone)) {  // by the kernel
      path.resize(path.size() - kGone.size());
    }
    throw base::Error(base::Error::Kind::kConflict,
                      fmt::format("the program file {} was replaced or removed after this command "
                                  "had started; run the command again with the program that is "
                                  "installed now",
                                  base::Quoted(path)));
  }
  return path;
}

std::string RealProcesses::OwnProgram() const { return ProgramBehind("/proc/self/exe"); }

RunResult RealProcesses::Run(const std::vector<std::string>& argv, const RunOptions& options) {
  if (argv.empty()) {
    throw base::Error("cannot run a command without a name");
  }
  const std::optional<std::string> program = FindExecutable(argv.front());
  if (!program) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("{} is not an executable in PATH", base::Quoted(argv.front())));
  }
  return Child(*program, argv, options).Wait();
}

std::optional<std::string> DryRunProcesses::FindExecutable(std::string_view name) const {
  return real_.FindExecutable(name);
}

RunResult DryRunProcesses::Run(const std::vector<std::string>& argv, const RunOptions& options) {
  if (options.effect == Effect::kAsks) {
    return real_.Run(argv, options);
  }
  if (skipped_) {
    skipped_(argv);
  }
  return {};
}

}  // namespace host
