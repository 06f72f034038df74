// SPDX-License-Identifier: Apache-2.0
#include "engine/trial.h"

#include <gmock/gmock.h>

#include <chrono>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace engine {
namespace {

using base::Thrown;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kUnit = "/etc/systemd/system/kubeadm-config-keep.service";

constexpr const char* kScript = "/etc/init.d/kubeadm-config-keep";

constexpr const char* kEarlier = "/var/lib/slipway/earlier.json";

constexpr const char* kJournal = "/var/lib/slipway/operation-config-apply.json";

constexpr const char* kChange = "5f0c1d2e3a4b5c6d";

const RollbackTimer& Timer() {
  static const RollbackTimer timer{
      .operation = "config-apply",
      .command = "config",
      .load = [](const host::Files& files) { return LoadJournal(files, "config-apply"); },
      .earlier_files = {kEarlier}};
  return timer;
}

Journal Of(State state, const std::string& id = kChange) {
  return {.operation = "config-apply", .id = id, .state = state};
}

// Simulates the timer: each successful command that starts the timer also writes the timer's
// answer. `timer_of` is the id of the operation in this answer.
class Starters : public host::FakeProcesses {
 public:
  explicit Starters(host::Files& files) : files_(files) {}
  host::RunResult Run(const std::vector<std::string>& argv,
                      const host::RunOptions& options) override {
    const host::RunResult result = host::FakeProcesses::Run(argv, options);
    if (result.Succeeded() &&
        (argv[0] == "sh" || argv[1] == "restart" || argv.back() == "restart")) {
      ReportTimer(Timer(), timer_of, files_);
    }
    return result;
  }
  std::string timer_of = kChange;

 private:
  host::Files& files_;
};

class TrialTest : public testing::Test {
 protected:
  void Leave(State state, const std::string& id = kChange) {
    SaveJournal(fake_.files, Of(state, id));
  }
  State Left() const { return Timer().load(fake_.files)->state; }
  TimerKind Start() {
    Leave(State::kApplying);
    return StartTimer(Timer(), kChange, host_);
  }
  host::FakeHost fake_;
  Starters processes_{fake_.files};
  host::Host host_ = fake_.With(processes_);
};

TEST_F(TrialTest, AChangeIsOnTrialUntilItsTimeIsOver) {
  const host::FakeClock& clock = fake_.clock;
  Journal journal = Of(State::kTrying);
  EXPECT_FALSE(IsOnTrial(std::nullopt, clock));
  EXPECT_FALSE(IsOnTrial(journal, clock)) << "it has no deadline";
  const auto now = clock.NowSeconds().time_since_epoch().count();
  journal.until = now + 1;
  EXPECT_TRUE(IsOnTrial(journal, clock));
  journal.until = now;
  EXPECT_FALSE(IsOnTrial(journal, clock));
  journal.until = now + 1;
  journal.state = State::kDone;
  EXPECT_FALSE(IsOnTrial(journal, clock));
}

TEST_F(TrialTest, RefusesATrialDuringAnotherChange) {
  EXPECT_NO_THROW(RequireSettled(Timer(), fake_.files));
  Leave(State::kDone);
  EXPECT_NO_THROW(RequireSettled(Timer(), fake_.files));
  for (const State state : {State::kApplying, State::kRollingBack}) {
    Leave(state);
    EXPECT_THAT(Thrown([&] { RequireSettled(Timer(), fake_.files); }).message(),
                HasSubstr("was interrupted: roll it back by 'kubeadm config undo' first"));
  }
  Leave(State::kTrying);
  EXPECT_THAT(Thrown([&] { RequireSettled(Timer(), fake_.files); }).message(),
              HasSubstr("'kubeadm config confirm' keeps it"));
}

TEST_F(TrialTest, RunsTheTimerAsASystemdService) {
  processes_.AddExecutable("systemctl");
  processes_.AddExecutable("kubeadm");  // another program, which is first in PATH
  processes_.own_program = "/opt/ours/kubeadm";
  EXPECT_EQ(Start(), TimerKind::kService);
  EXPECT_THAT(fake_.files.Read(kUnit),
              HasSubstr("ExecStart=/opt/ours/kubeadm config keep --change=5f0c1d2e3a4b5c6d\n"));
  EXPECT_THAT(processes_.changes(),
              ElementsAre("systemctl daemon-reload", "systemctl enable kubeadm-config-keep.service",
                          "systemctl restart kubeadm-config-keep.service"));
  StopTimer(Timer(), host_);
  EXPECT_FALSE(fake_.files.Exists(kUnit));
  EXPECT_THAT(processes_.changes(), Contains("systemctl disable kubeadm-config-keep.service"));
}

TEST_F(TrialTest, RunsTheTimerAsAnOpenRcService) {
  for (const char* program : {"openrc", "rc-service", "rc-update"}) {
    processes_.AddExecutable(program);
  }
  processes_.own_program = "/opt/ours/kubeadm";
  EXPECT_EQ(Start(), TimerKind::kService);
  EXPECT_THAT(fake_.files.Read(kScript),
              HasSubstr("command=\"/opt/ours/kubeadm\"\n"
                        "command_args=\"config keep --change=5f0c1d2e3a4b5c6d\"\n"));
  EXPECT_EQ(fake_.files.Stat(kScript)->mode, 0755U);
  EXPECT_THAT(processes_.changes(), ElementsAre("rc-update add kubeadm-config-keep default",
                                                "rc-service kubeadm-config-keep restart"));
  StopTimer(Timer(), host_);
  EXPECT_FALSE(fake_.files.Exists(kScript));
  EXPECT_THAT(processes_.changes(), Contains("rc-update del kubeadm-config-keep default"));
}

TEST_F(TrialTest, RemovesTheTrialOfANodeThatLeaves) {
  EXPECT_FALSE(HasTrial(Timer(), fake_.files));
  processes_.AddExecutable("systemctl");
  Start();
  processes_.AddExecutable("rc-service");
  processes_.AddExecutable("rc-update");
  fake_.files.Write(kScript, "", {});
  EXPECT_TRUE(HasTrial(Timer(), fake_.files));
  Leave(State::kTrying);
  fake_.files.Write(kEarlier, "{}", {});
  ForgetTrial(Timer(), host_);
  EXPECT_FALSE(HasTrial(Timer(), fake_.files));
  for (const host::fs::path file : {kUnit, kScript, kEarlier, kJournal}) {
    EXPECT_FALSE(fake_.files.Exists(file)) << file;
  }
  EXPECT_THAT(processes_.changes(), Contains("systemctl stop kubeadm-config-keep.service"));
  EXPECT_THAT(processes_.changes(), Contains("rc-service kubeadm-config-keep stop"));
}

TEST_F(TrialTest, ARollbackKeepsItsTimer) {
  processes_.AddExecutable("systemctl");
  fake_.files.Write(host::fs::path(kUnit), "", {});
  Leave(State::kApplying);
  EXPECT_THAT(Thrown([&] { Confirm(Timer(), host_); }).message(),
              HasSubstr("'kubeadm config undo'"));
  EXPECT_TRUE(fake_.files.Exists(host::fs::path(kUnit)));
  Leave(State::kTrying);
  fake_.files.Write(kEarlier, "{}", {});
  Confirm(Timer(), host_);
  EXPECT_EQ(Left(), State::kDone);
  EXPECT_FALSE(fake_.files.Exists(kEarlier)) << "an older timer would read it";
  EXPECT_FALSE(fake_.files.Exists(host::fs::path(kUnit)));
  EXPECT_EQ(Thrown([&] { Confirm(Timer(), host_); }).kind(), base::Error::Kind::kNotFound);
}

TEST_F(TrialTest, AKilledConfirmationCanBeRepeated) {
  processes_.AddExecutable("systemctl");
  Start();
  Leave(State::kDone);
  EXPECT_NO_THROW(Confirm(Timer(), host_));
  EXPECT_FALSE(fake_.files.Exists(kUnit));
  EXPECT_EQ(Left(), State::kDone);
}

TEST_F(TrialTest, ARollbackNoteEndsWithTheNextOperationOrAReset) {
  EXPECT_FALSE(HasRollbackNote(Timer(), fake_.files));
  LeaveRollbackNote(Timer(), fake_.files);
  EXPECT_TRUE(HasTrial(Timer(), fake_.files)) << "reset removes it";
  EXPECT_TRUE(HasRollbackNote(Timer(), fake_.files));
  RemoveRollbackNote(Timer(), fake_.files);
  EXPECT_FALSE(HasRollbackNote(Timer(), fake_.files));
  LeaveRollbackNote(Timer(), fake_.files);
  ForgetTrial(Timer(), host_);
  EXPECT_FALSE(HasRollbackNote(Timer(), fake_.files)) << "the node has left its cluster";
}

TEST_F(TrialTest, ATimerRollsBackOnlyItsOwnChange) {
  EXPECT_FALSE(MayBeRolledBack(Timer(), fake_.files));
  Leave(State::kApplying);
  EXPECT_FALSE(MayBeRolledBack(Timer(), fake_.files));
  processes_.AddExecutable("systemctl");
  Start();
  EXPECT_TRUE(MayBeRolledBack(Timer(), fake_.files));
  Leave(State::kDone);
  EXPECT_FALSE(MayBeRolledBack(Timer(), fake_.files));
}

TEST_F(TrialTest, RunsTheTimerAsAProcessWithoutSystemd) {
  processes_.AddExecutable("sh");
  EXPECT_EQ(Start(), TimerKind::kProcess);
  EXPECT_THAT(processes_.changes(),
              ElementsAre(AllOf(StartsWith("sh -c exec setsid -f"),
                                EndsWith(" /usr/bin/kubeadm --change=5f0c1d2e3a4b5c6d"))));
  StopTimer(Timer(), host_);
  EXPECT_EQ(processes_.changes().size(), 1U) << "there is no service to remove";
}

TEST_F(TrialTest, RefusesATrialWithoutATimer) {
  processes_.AddExecutable("systemctl");
  processes_.On("systemctl enable", {.exit_code = 1});
  processes_.On("sh -c", {.exit_code = 127, .err = "setsid: not found\n"});
  EXPECT_THAT(Thrown([&] { Start(); }).message(),
              HasSubstr("nothing was changed: the rollback timer cannot be started: "
                        "setsid: not found"));
  EXPECT_FALSE(fake_.files.Exists(kUnit));
}

TEST_F(TrialTest, ChangesNothingBeforeTheTimerAnswers) {
  processes_.AddExecutable("systemctl");
  processes_.timer_of = "of another change";
  const auto begin = fake_.clock.Steady();
  const base::Error error = Thrown([&] { Start(); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
  EXPECT_THAT(
      error.message(),
      HasSubstr("nothing was changed: the rollback timer was started, and has not answered"));
  EXPECT_GE(fake_.clock.Steady() - begin, std::chrono::minutes(1));
}

TEST_F(TrialTest, IgnoresAnEarlierAnswer) {
  processes_.AddExecutable("systemctl");
  EXPECT_EQ(Start(), TimerKind::kService);
  processes_.timer_of = "";
  EXPECT_EQ(Thrown([&] { Start(); }).kind(), base::Error::Kind::kTimeout);
}

TEST_F(TrialTest, AnInterruptEndsTheWaitForTheTimer) {
  processes_.AddExecutable("systemctl");
  processes_.timer_of = "";
  fake_.signals.stop.request_stop();
  EXPECT_THROW(Start(), base::Interrupted);
}

TEST_F(TrialTest, RefusesAProgramThatAServiceCannotStart) {
  processes_.AddExecutable("systemctl");
  processes_.own_program = "/root/my tools/kubeadm";
  EXPECT_THAT(Thrown([&] { Start(); }).message(),
              AllOf(StartsWith("nothing was changed: "), HasSubstr("\"/root/my tools/kubeadm\"")));
  EXPECT_FALSE(fake_.files.Exists(kUnit));
}

TEST_F(TrialTest, ATimerRecognizesItsOwnChange) {
  EXPECT_FALSE(LoadUnconfirmed(Timer(), kChange, fake_.files));
  Leave(State::kTrying);
  EXPECT_TRUE(LoadUnconfirmed(Timer(), kChange, fake_.files));
  Leave(State::kDone);
  EXPECT_FALSE(LoadUnconfirmed(Timer(), kChange, fake_.files));
  Leave(State::kApplying, "of the next");
  EXPECT_FALSE(LoadUnconfirmed(Timer(), kChange, fake_.files));
  Leave(State::kApplying, "");
  EXPECT_TRUE(LoadUnconfirmed(Timer(), "", fake_.files))
      << "a journal and a unit of an older release";
}

}  // namespace
}  // namespace engine
