// SPDX-License-Identifier: Apache-2.0
// Child processes of a host.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace host {

// Effect says whether a command changes the machine. A dry run runs only those that ask.
enum class Effect { kAsks, kChanges };

// Talk says whom a child talks to besides us: nobody; the user, who sees its standard error as it
// comes (RunResult::err stays empty); or the user by their terminal, from which it may read and
// which may interrupt it. `input` does not reach one with a terminal.
enum class Talk { kToUs, kErrorsToUser, kAtTerminal };

// RunOptions of a child process. Secrets go through `input` or `environment`, never through argv.
struct RunOptions {
  std::string input;                                    // written to its standard input
  std::map<std::string, std::string> environment = {};  // in addition to, or in place of, our own
  Talk talk = Talk::kToUs;
  std::chrono::milliseconds timeout{60'000};  // then its process group is killed
  Effect effect = Effect::kChanges;
  std::stop_token stop;  // when requested: the group is killed, Run throws kCancelled
};

// RunResult of a child that was started. `exit_code` is 128 + N when signal N ended it.
struct RunResult {
  int exit_code = 0;
  bool timed_out = false;
  std::string out;
  std::string err;
  bool Succeeded() const { return exit_code == 0 && !timed_out; }
  // Combined is out followed by err, as shown to a user.
  std::string Combined() const { return out + err; }
};

// Processes starts programs.
class Processes {
 public:
  virtual ~Processes() = default;
  // FindExecutable looks `name` up in PATH; nothing when it is not there.
  virtual std::optional<std::string> FindExecutable(std::string_view name) const = 0;
  // OwnProgram is the absolute path of the program that calls it: what a service is to start so
  // that the same program runs again, whatever PATH says. Throws base::Error(kConflict) when
  // another file, or none, is at that path by now.
  virtual std::string OwnProgram() const = 0;
  // Run starts argv[0] (looked up in PATH) without a shell and waits for it. Throws base::Error
  // (kNotFound or kOther) only when it cannot be started, or when it writes more than 64 MiB, which
  // ends it; a non-zero exit is a result. Output that processes left behind by the child write
  // later is not waited for.
  virtual RunResult Run(const std::vector<std::string>& argv, const RunOptions& options = {}) = 0;
};

// RealProcesses are children of this process, which begin with no signal blocked.
class RealProcesses : public Processes {
 public:
  std::optional<std::string> FindExecutable(std::string_view name) const override;
  std::string OwnProgram() const override;
  RunResult Run(const std::vector<std::string>& argv, const RunOptions& options) override;
};

// ProgramBehind is the path of the executable that /proc/PID/exe leads to. Throws
// base::Error(kConflict) when another file, or none, is at that path: the executable was replaced
// or removed after the process had started.
std::string ProgramBehind(const std::string& link);

// DryRunProcesses runs the commands that only ask. The others it tells to `skipped` and reports as
// done, without output.
class DryRunProcesses : public Processes {
 public:
  using Skipped = std::function<void(const std::vector<std::string>& argv)>;
  explicit DryRunProcesses(Processes& real, Skipped skipped = {})
      : real_(real), skipped_(std::move(skipped)) {}
  std::optional<std::string> FindExecutable(std::string_view name) const override;
  std::string OwnProgram() const override { return real_.OwnProgram(); }
  RunResult Run(const std::vector<std::string>& argv, const RunOptions& options) override;

 private:
  Processes& real_;
  Skipped skipped_;
};

}  // namespace host
