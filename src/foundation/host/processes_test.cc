// SPDX-License-Identifier: Apache-2.0
#include "host/processes.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "base/error.h"
#include "base/fake_error.h"
#include "base/strings.h"
#include "host/fake_host.h"

namespace host {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RunResult Shell(const std::string& script, const RunOptions& options = {}) {
  return RealProcesses().Run({"sh", "-c", script}, options);
}

TEST(RealProcessesTest, ReturnsBothOutputsAndTheExitCode) {
  const RunResult result = Shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.Succeeded());
  EXPECT_EQ(result.Combined(), "out\nerr\n");
  EXPECT_TRUE(Shell("true").Succeeded());
}

TEST(RealProcessesTest, ArgumentsAreNotInterpreted) {
  EXPECT_EQ(RealProcesses().Run({"printf", "%s|", "a b", "$HOME", "*"}, {}).out, "a b|$HOME|*|");
}

TEST(RealProcessesTest, DoesNotDeadlockWithLargeInputAndOutput) {
  const std::string much(2'000'000, 'x');
  const RunResult result = Shell("cat; cat /dev/null >&2", {.input = much});
  EXPECT_EQ(result.out.size(), much.size());
}

TEST(RealProcessesTest, ToleratesAChildThatReadsNoInput) {
  EXPECT_EQ(Shell("exec 0<&-; echo done", {.input = std::string(2'000'000, 'x')}).out, "done\n");
}

TEST(RealProcessesTest, PassesEmptyInputByDefault) {
  EXPECT_EQ(Shell("cat; echo end").out, "end\n");
}

TEST(RealProcessesTest, ReportsSignalsAsExitCodesAbove128) {
  EXPECT_EQ(Shell("kill -TERM $$").exit_code, 128 + SIGTERM);
}

TEST(RealProcessesTest, ATimeoutKillsTheWholeGroup) {
  const RunResult result = Shell("echo begun; sleep 1000 & wait", {.timeout = 200ms});
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.Succeeded());
  EXPECT_EQ(result.exit_code, 128 + SIGKILL);
  EXPECT_EQ(result.out, "begun\n");
}

TEST(RealProcessesTest, DoesNotWaitForGrandchildren) {
  const RunResult result = Shell("sleep 30 & echo $!", {.timeout = 20s});
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(::kill(std::stoi(result.out), SIGKILL), 0) << "it is still there";
}

TEST(RealProcessesTest, AStopEndsTheProcess) {
  std::stop_source source;
  const std::jthread stopper([&] { source.request_stop(); });
  EXPECT_EQ(base::InterruptionOf(
                [&] { Shell("sleep 1000", {.timeout = 60s, .stop = source.get_token()}); }),
            "stopped");
}

TEST(RealProcessesTest, StopsAProgramThatWritesTooMuch) {
  for (const std::string script : {"yes", "yes >&2"}) {
    const base::Error error = base::Thrown([&] { Shell(script); });
    EXPECT_THAT(error.message(), HasSubstr("has written more than 64 MiB, and was stopped"));
  }
}

TEST(RealProcessesTest, VariablesAreAddedAndReplaced) {
  ::setenv("SLIPWAY_TEST_KEPT", "kept", 1);
  ::setenv("SLIPWAY_TEST_REPLACED", "old", 1);
  const RunResult result = RealProcesses().Run(
      {"env"}, {.environment = {{"SLIPWAY_TEST_REPLACED", "new = x"}, {"SLIPWAY_TEST_ADDED", ""}}});
  const std::vector<std::string> lines = base::Lines(result.out);
  EXPECT_THAT(lines,
              ::testing::IsSupersetOf({"SLIPWAY_TEST_KEPT=kept", "SLIPWAY_TEST_REPLACED=new = x",
                                       "SLIPWAY_TEST_ADDED="}));
  EXPECT_THAT(lines, ::testing::Not(::testing::Contains("SLIPWAY_TEST_REPLACED=old")));
}

TEST(RealProcessesTest, PassesStandardErrorOfAChildToTheUser) {
  ::testing::internal::CaptureStderr();
  const RunResult result =
      RealProcesses().Run({"sh", "-c", "echo out; echo sorry >&2"}, {.talk = Talk::kErrorsToUser});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "sorry\n");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "");
}

// Only the terminal's foreground group may read from it.
TEST(RealProcessesTest, KeepsAChildAtTheTerminalInTheProcessGroup) {
  const std::string ours = std::to_string(::getpgrp()) + "\n";
  for (const auto& [talk, same] :
       {std::pair{Talk::kAtTerminal, true}, {Talk::kErrorsToUser, false}, {Talk::kToUs, false}}) {
    const RunResult result =
        RealProcesses().Run({"sh", "-c", "cut -d' ' -f5 /proc/$$/stat"}, {.talk = talk});
    EXPECT_EQ(result.out == ours, same);
  }
}

TEST(RealProcessesTest, EndsAChildAtTheTerminalAfterATimeout) {
  const RunResult result = RealProcesses().Run(
      {"sleep", "100"}, {.talk = Talk::kAtTerminal, .timeout = std::chrono::milliseconds(30)});
  EXPECT_TRUE(result.timed_out);
}

TEST(RealProcessesTest, OnlyTheStandardDescriptorsAreInherited) {
  const int leak = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  const RunResult result = RealProcesses().Run({"ls", "/proc/self/fd"}, {});
  ::close(leak);
  EXPECT_THAT(base::Lines(result.out), ElementsAre("0", "1", "2", "3")) << "3 is ls's own";
}

TEST(RealProcessesTest, IgnoredSignalsAreNotInherited) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const int code = Shell("kill -PIPE $$; exit 0").exit_code;
  std::signal(SIGPIPE, before);
  EXPECT_EQ(code, 128 + SIGPIPE);
}

TEST(RealProcessesTest, ThrowsWhenTheProgramCannotBeStarted) {
  RealProcesses processes;
  for (const std::string name : {"no-such-program", "/no/such/program", "/etc", ""}) {
    const base::Error error = base::Thrown([&] { processes.Run({name}, {}); });
    EXPECT_EQ(error.kind(), base::Error::Kind::kNotFound) << name;
    EXPECT_THAT(error.what(), HasSubstr(base::Quoted(name)));
  }
  EXPECT_THROW(processes.Run({}, {}), base::Error);
}

TEST(RealProcessesTest, PathIsSearchedInOrderWithoutRelativeDirectories) {
  const TemporaryDirectory directory;
  RealFiles files(directory.path());
  files.Write("/one/tool", "#!/bin/sh\n", {.mode = 0644});
  files.Write("/two/tool", "#!/bin/sh\n", {.mode = 0755});
  files.MakeDirectories("/one/directory", 0755);
  const std::string before = RealEnvironment().Get("PATH");
  const std::string root = directory.path().string();
  ::setenv("PATH", (":.:" + root + "/one:" + root + "/two").c_str(), 1);
  const RealProcesses processes;
  EXPECT_EQ(processes.FindExecutable("tool"), root + "/two/tool");
  EXPECT_EQ(processes.FindExecutable("directory"), std::nullopt);
  EXPECT_EQ(processes.FindExecutable(""), std::nullopt);
  EXPECT_EQ(processes.FindExecutable(root + "/two/tool"), root + "/two/tool");
  EXPECT_EQ(processes.FindExecutable(root + "/one/tool"), std::nullopt);
  ::setenv("PATH", before.c_str(), 1);
}

// A process of a copy of sleep(1), at a path of the test's own.
class Sleeper {
 public:
  Sleeper() {
    fs::copy_file("/bin/sleep", path());
    std::string program = path();
    std::string seconds = "60";
    char* const words[] = {program.data(), seconds.data(), nullptr};
    EXPECT_EQ(::posix_spawn(&pid_, words[0], nullptr, nullptr, words, environ), 0);
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  std::string path() const { return directory_.path() / "kubeadm"; }
  std::string link() const { return "/proc/" + std::to_string(pid_) + "/exe"; }

 private:
  TemporaryDirectory directory_;
  pid_t pid_ = -1;
};

TEST(ProgramBehind, IsThePathOfTheRunningFile) {
  const Sleeper sleeper;
  EXPECT_EQ(ProgramBehind(sleeper.link()), sleeper.path());
  EXPECT_EQ(RealProcesses().OwnProgram(), fs::canonical("/proc/self/exe"));
}

TEST(ProgramBehind, ThrowsForAProgramThatWasRemoved) {
  const Sleeper sleeper;
  fs::remove(sleeper.path());
  const base::Error error = base::Thrown([&] { ProgramBehind(sleeper.link()); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kConflict);
  EXPECT_THAT(error.what(), HasSubstr(base::Quoted(sleeper.path()) + " was replaced or removed"));
}

TEST(ProgramBehind, ThrowsForAProgramThatWasReplaced) {
  const Sleeper sleeper;
  fs::copy_file("/bin/sleep", sleeper.path() + ".new");
  fs::rename(sleeper.path() + ".new", sleeper.path());
  EXPECT_EQ(base::Thrown([&] { ProgramBehind(sleeper.link()); }).kind(),
            base::Error::Kind::kConflict);
  // The kernel shows a removed file as "PATH (deleted)", which may also be the name of another
  // file.
  fs::copy_file("/bin/sleep", sleeper.path() + " (deleted)");
  EXPECT_EQ(base::Thrown([&] { ProgramBehind(sleeper.link()); }).kind(),
            base::Error::Kind::kConflict);
}

TEST(DryRunProcessesTest, RunsOnlyReadOnlyCommands) {
  FakeProcesses real;
  real.On("kubelet --version", {.out = "Kubernetes v1.36.3\n"});
  real.AddExecutable("systemctl");
  std::vector<std::string> skipped;
  DryRunProcesses processes(real, [&](const std::vector<std::string>& argv) {
    skipped.push_back(base::Join(argv, " "));
  });
  EXPECT_EQ(processes.Run({"kubelet", "--version"}, {.effect = Effect::kAsks}).out,
            "Kubernetes v1.36.3\n");
  EXPECT_TRUE(processes.Run({"systemctl", "stop", "kubelet"}, {}).Succeeded());
  EXPECT_THAT(skipped, ElementsAre("systemctl stop kubelet"));
  EXPECT_THAT(real.calls(), ElementsAre("kubelet --version"));
  EXPECT_THAT(real.changes(), IsEmpty());
  EXPECT_TRUE(processes.FindExecutable("kubelet"));
}

TEST(FakeProcessesTest, AnswersByTheLongestScriptedPrefix) {
  FakeProcesses processes;
  processes.On("systemctl", {.exit_code = 1});
  processes.On("systemctl is-active kubelet", {.out = "active\n"});
  EXPECT_EQ(processes.Run({"systemctl", "is-active", "kubelet"}, {}).out, "active\n");
  EXPECT_EQ(processes.Run({"systemctl", "status"}, {}).exit_code, 1);
  EXPECT_THROW(processes.Run({"crictl"}, {}), base::Error);
}

}  // namespace
}  // namespace host
