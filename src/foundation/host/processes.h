// SPDX-License-Identifier: Apache-2.0
// Child processes of a host.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace host {

// The effect of a command on the machine: kAsks changes nothing. A dry run runs only such commands.
enum class Effect { kAsks, kChanges };

// The standard streams of a child. kToUs: captured by this process. kErrorsToUser: like kToUs, but
// the user gets the standard error immediately, and RunResult::err stays empty. kAtTerminal: like
// kErrorsToUser, but the child reads from the user's terminal instead of `input`, and the user may
// interrupt it there.
enum class Talk { kToUs, kErrorsToUser, kAtTerminal };

// Options of a child process. Secrets go through `input` or `environment`, never through argv.
struct RunOptions {
  std::string input;  // written to its standard input
  // Variables that are added to the environment of this process, or replace variables in it.
  std::map<std::string, std::string> environment = {};
  Talk talk = Talk::kToUs;
  std::chrono::milliseconds timeout{60'000};  // afterwards its process group is killed
  Effect effect = Effect::kChanges;
  std::stop_token stop;  // when requested: the group is killed, Run throws base::Interrupted
  // A child that writes more to one of its streams is killed, and Run throws base::Error(kOther).
  std::size_t largest_output = std::size_t{64} << 20;
  // Kills the processes that the child leaves in its process group, also after a normal end. A
  // process that starts a new session escapes.
  bool ends_group = false;
};

// The result of a child. `exit_code` is 128 + N if signal N ended it.
struct RunResult {
  int exit_code = 0;
  bool timed_out = false;
  std::string out;
  std::string err;
  bool Succeeded() const { return exit_code == 0 && !timed_out; }
  // Combined is out followed by err, as shown to a user.
  std::string Combined() const { return out + err; }
};

// Starts programs.
class Processes {
 public:
  virtual ~Processes() = default;
  // Looks `name` up in PATH; returns std::nullopt if it is not found.
  virtual std::optional<std::string> FindExecutable(std::string_view name) const = 0;
  // Returns the absolute path of the calling program. A service that uses this path runs the same
  // program again, whatever PATH says. Throws base::Error(kConflict) if the path is now another
  // file, or missing.
  virtual std::string OwnProgram() const = 0;
  // Runs argv[0] (looked up in PATH) without a shell, and waits until it ends. Throws base::Error
  // (kNotFound or kOther) if the program cannot be started. Throws base::Error(kOther) if the
  // program was killed because it wrote more than RunOptions::largest_output. A non-zero exit
  // status is a result, not an error. Does not wait for output that grandchildren write afterwards.
  virtual RunResult Run(const std::vector<std::string>& argv, const RunOptions& options = {}) = 0;
};

// Children of this process, which start with all signals unblocked.
class RealProcesses : public Processes {
 public:
  std::optional<std::string> FindExecutable(std::string_view name) const override;
  std::string OwnProgram() const override;
  RunResult Run(const std::vector<std::string>& argv, const RunOptions& options) override;
};

// Returns the path of the executable that /proc/PID/exe leads to. Throws base::Error(kConflict) if
// the executable was replaced or removed after the process had started.
std::string ProgramBehind(const std::string& link);

// Runs only read-only commands. Reports other commands to `skipped`, and returns success without
// output for these.
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
