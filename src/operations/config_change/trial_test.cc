// SPDX-License-Identifier: Apache-2.0
#include "config_change/trial.h"

#include <gmock/gmock.h>

#include <chrono>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace config_change {
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

constexpr const char* kChange = "5f0c1d2e3a4b5c6d";

// The processes whose commands start the keeper of a change; may be empty.
class Starters : public host::FakeProcesses {
 public:
  explicit Starters(host::Files& files) : files_(files) {}
  host::RunResult Run(const std::vector<std::string>& argv,
                      const host::RunOptions& options) override {
    const host::RunResult result = host::FakeProcesses::Run(argv, options);
    if (result.Succeeded() &&
        (argv[0] == "sh" || argv[1] == "restart" || argv.back() == "restart")) {
      ReportAlive(keeper_of, files_);
    }
    return result;
  }
  std::string keeper_of = kChange;

 private:
  host::Files& files_;
};

class TrialTest : public testing::Test {
 protected:
  void Leave(Change::State state, const std::string& id = kChange) {
    SaveChange(fake_.files, {.state = state, .id = id});
  }
  Keeper Start() {
    Leave(Change::State::kApplying);
    return StartKeeper(kChange, host_);
  }
  host::FakeHost fake_;
  Starters processes_{fake_.files};
  host::Host host_ = fake_.With(processes_);
};

TEST_F(TrialTest, AChangeIsOnTrialUntilItsTimeIsOver) {
  const host::FakeClock& clock = fake_.clock;
  Change change{.state = Change::State::kTrying};
  EXPECT_FALSE(IsOnTrial(std::nullopt, clock));
  EXPECT_FALSE(IsOnTrial(change, clock)) << "it is still being applied";
  const auto now = clock.NowSeconds();
  change.until = now + std::chrono::seconds(1);
  EXPECT_TRUE(IsOnTrial(change, clock));
  change.until = now;
  EXPECT_FALSE(IsOnTrial(change, clock));
  change.until = now + std::chrono::seconds(1);
  change.state = Change::State::kKept;
  EXPECT_FALSE(IsOnTrial(change, clock));
}

TEST_F(TrialTest, IsDoneWithAChangeThatIsKept) {
  EXPECT_TRUE(IsDone(std::nullopt));
  EXPECT_TRUE(IsDone(Change{.state = Change::State::kKept}));
  EXPECT_FALSE(IsDone(Change{.state = Change::State::kTrying}));
  EXPECT_FALSE(IsDone(Change{.state = Change::State::kApplying}));
}

TEST_F(TrialTest, AnotherChangeHasToEndFirst) {
  EXPECT_NO_THROW(RequireNoOther(fake_.files));
  Leave(Change::State::kKept);
  EXPECT_NO_THROW(RequireNoOther(fake_.files));
  EXPECT_FALSE(WasCutOff(fake_.files));
  Leave(Change::State::kApplying);
  EXPECT_TRUE(WasCutOff(fake_.files));
  EXPECT_THAT(Thrown([&] { RequireNoOther(fake_.files); }).message(), HasSubstr("was cut off"));
  Leave(Change::State::kTrying);
  EXPECT_THAT(Thrown([&] { RequireNoOther(fake_.files); }).message(), HasSubstr("config confirm"));
}

TEST_F(TrialTest, SystemdKeepsWatch) {
  processes_.AddExecutable("systemctl");
  processes_.AddExecutable("kubeadm");  // another one, first in PATH
  processes_.own_program = "/opt/ours/kubeadm";
  EXPECT_EQ(Start(), Keeper::kService);
  EXPECT_THAT(fake_.files.Read(kUnit),
              HasSubstr("ExecStart=/opt/ours/kubeadm config keep --change=5f0c1d2e3a4b5c6d\n"));
  EXPECT_THAT(processes_.changes(),
              ElementsAre("systemctl daemon-reload", "systemctl enable kubeadm-config-keep.service",
                          "systemctl restart kubeadm-config-keep.service"));
  StopKeeper(host_);
  EXPECT_FALSE(fake_.files.Exists(kUnit));
  EXPECT_THAT(processes_.changes(), Contains("systemctl disable kubeadm-config-keep.service"));
}

TEST_F(TrialTest, OpenRcKeepsWatch) {
  for (const char* program : {"openrc", "rc-service", "rc-update"}) {
    processes_.AddExecutable(program);
  }
  processes_.own_program = "/opt/ours/kubeadm";
  EXPECT_EQ(Start(), Keeper::kService);
  EXPECT_THAT(fake_.files.Read(kScript),
              HasSubstr("command=\"/opt/ours/kubeadm\"\n"
                        "command_args=\"config keep --change=5f0c1d2e3a4b5c6d\"\n"));
  EXPECT_EQ(fake_.files.Stat(kScript)->mode, 0755U);
  EXPECT_THAT(processes_.changes(), ElementsAre("rc-update add kubeadm-config-keep default",
                                                "rc-service kubeadm-config-keep restart"));
  StopKeeper(host_);
  EXPECT_FALSE(fake_.files.Exists(kScript));
  EXPECT_THAT(processes_.changes(), Contains("rc-update del kubeadm-config-keep default"));
}

TEST_F(TrialTest, ANodeThatLeavesForgetsItsTrial) {
  EXPECT_FALSE(HasTrial(fake_.files));
  processes_.AddExecutable("systemctl");
  Start();
  processes_.AddExecutable("rc-service");
  processes_.AddExecutable("rc-update");
  fake_.files.Write(kScript, "", {});
  EXPECT_TRUE(HasTrial(fake_.files));
  Leave(Change::State::kTrying);
  fake_.files.Write(host::fs::path(kPodsFile), "{}", {});
  ForgetTrial(host_);
  EXPECT_FALSE(HasTrial(fake_.files));
  for (const auto file :
       {std::string_view(kUnit), std::string_view(kScript), kChangeFile, kPodsFile}) {
    EXPECT_FALSE(fake_.files.Exists(host::fs::path(file))) << file;
  }
  EXPECT_THAT(processes_.changes(), Contains("systemctl stop kubeadm-config-keep.service"));
  EXPECT_THAT(processes_.changes(), Contains("rc-service kubeadm-config-keep stop"));
}

TEST_F(TrialTest, ARollbackKeepsItsTimer) {
  processes_.AddExecutable("systemctl");
  fake_.files.Write(host::fs::path(kUnit), "", {});
  Leave(Change::State::kApplying);
  EXPECT_THAT(Thrown([&] { Confirm(host_); }).message(), HasSubstr("'kubeadm config undo'"));
  EXPECT_TRUE(fake_.files.Exists(host::fs::path(kUnit)));
  Leave(Change::State::kTrying);
  Confirm(host_);
  EXPECT_EQ(LoadChange(fake_.files)->state, Change::State::kKept);
  EXPECT_FALSE(fake_.files.Exists(host::fs::path(kUnit)));
  EXPECT_EQ(Thrown([&] { Confirm(host_); }).kind(), base::Error::Kind::kNotFound);
}

TEST_F(TrialTest, AConfirmationThatWasKilledSucceedsWhenItIsGivenAgain) {
  processes_.AddExecutable("systemctl");
  Start();
  Leave(Change::State::kKept);
  EXPECT_NO_THROW(Confirm(host_));
  EXPECT_FALSE(fake_.files.Exists(kUnit));
  EXPECT_EQ(LoadChange(fake_.files)->state, Change::State::kKept);
}

TEST_F(TrialTest, AKeeperThatTookItsChangeBackLeavesWordOnce) {
  EXPECT_FALSE(TellsOfTakingBack(fake_.files));
  NoteTakenBack(fake_.files);
  EXPECT_TRUE(HasTrial(fake_.files)) << "reset removes it";
  EXPECT_TRUE(TellsOfTakingBack(fake_.files));
  EXPECT_FALSE(TellsOfTakingBack(fake_.files));
  NoteTakenBack(fake_.files);
  RemoveChange(fake_.files);
  EXPECT_FALSE(TellsOfTakingBack(fake_.files)) << "another change has followed";
}

TEST_F(TrialTest, ATimerRollsBackOnlyItsOwnChange) {
  EXPECT_FALSE(MayBeTakenBack(fake_.files));
  Leave(Change::State::kApplying);
  EXPECT_FALSE(MayBeTakenBack(fake_.files));
  processes_.AddExecutable("systemctl");
  Start();
  EXPECT_TRUE(MayBeTakenBack(fake_.files));
  Leave(Change::State::kKept);
  EXPECT_FALSE(MayBeTakenBack(fake_.files));
}

TEST_F(TrialTest, AProcessKeepsWatchWhereSystemdDoesNot) {
  processes_.AddExecutable("sh");
  EXPECT_EQ(Start(), Keeper::kProcess);
  EXPECT_THAT(processes_.changes(),
              ElementsAre(AllOf(StartsWith("sh -c exec setsid -f"),
                                EndsWith(" /usr/bin/kubeadm --change=5f0c1d2e3a4b5c6d"))));
  StopKeeper(host_);
  EXPECT_EQ(processes_.changes().size(), 1U) << "there is no service to remove";
}

TEST_F(TrialTest, RefusesATrialWithoutATimer) {
  processes_.AddExecutable("systemctl");
  processes_.On("systemctl enable", {.exit_code = 1});
  processes_.On("sh -c", {.exit_code = 127, .err = "setsid: not found\n"});
  EXPECT_THAT(Thrown([&] { Start(); }).message(),
              HasSubstr("nothing was changed: what would take the change back cannot be started: "
                        "setsid: not found"));
  EXPECT_FALSE(fake_.files.Exists(kUnit));
}

TEST_F(TrialTest, NothingIsTriedBeforeItsKeeperAnswers) {
  processes_.AddExecutable("systemctl");
  processes_.keeper_of = "of another change";
  const auto begin = fake_.clock.Steady();
  const base::Error error = Thrown([&] { Start(); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kTimeout);
  EXPECT_THAT(error.message(), HasSubstr("nothing was changed: what would take the change back was "
                                         "started, and has not answered"));
  EXPECT_GE(fake_.clock.Steady() - begin, std::chrono::minutes(1));
}

TEST_F(TrialTest, AnAnswerOfBeforeDoesNotCount) {
  processes_.AddExecutable("systemctl");
  EXPECT_EQ(Start(), Keeper::kService);
  processes_.keeper_of = "";
  EXPECT_EQ(Thrown([&] { Start(); }).kind(), base::Error::Kind::kTimeout);
}

TEST_F(TrialTest, AnInterruptEndsTheWaitForTheKeeper) {
  processes_.AddExecutable("systemctl");
  processes_.keeper_of = "";
  fake_.signals.stop.request_stop();
  EXPECT_THROW(Start(), base::Interrupted);
}

TEST_F(TrialTest, AProgramThatAServiceCannotStartTriesNothing) {
  processes_.AddExecutable("systemctl");
  processes_.own_program = "/root/my tools/kubeadm";
  EXPECT_THAT(Thrown([&] { Start(); }).message(),
              AllOf(StartsWith("nothing was changed: "), HasSubstr("\"/root/my tools/kubeadm\"")));
  EXPECT_FALSE(fake_.files.Exists(kUnit));
}

TEST_F(TrialTest, AKeeperKnowsItsOwnChange) {
  EXPECT_FALSE(LoadTried(kChange, fake_.files));
  Leave(Change::State::kTrying);
  EXPECT_TRUE(LoadTried(kChange, fake_.files));
  Leave(Change::State::kKept);
  EXPECT_FALSE(LoadTried(kChange, fake_.files));
  Leave(Change::State::kApplying, "of the next");
  EXPECT_FALSE(LoadTried(kChange, fake_.files));
  Leave(Change::State::kApplying, "");
  EXPECT_TRUE(LoadTried("", fake_.files)) << "a journal and a unit of an older release";
}

}  // namespace
}  // namespace config_change
