// SPDX-License-Identifier: Apache-2.0
#include "config_change/trial.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace config_change {
namespace {

using base::Thrown;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kUnit = "/etc/systemd/system/kubeadm-config-keep.service";

constexpr const char* kScript = "/etc/init.d/kubeadm-config-keep";

class TrialTest : public testing::Test {
 protected:
  TrialTest() { fake_.processes.AddExecutable("kubeadm"); }
  void Leave(Change::State state) { SaveChange(fake_.files, {.state = state}); }
  host::FakeHost fake_;
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
  fake_.processes.AddExecutable("systemctl");
  EXPECT_EQ(StartKeeper(fake_.host), Keeper::kService);
  EXPECT_THAT(fake_.files.Read(kUnit), HasSubstr("kubeadm config keep\n"));
  EXPECT_THAT(
      fake_.processes.changes(),
      ElementsAre("systemctl daemon-reload", "systemctl enable --now kubeadm-config-keep.service"));
  StopKeeper(fake_.host);
  EXPECT_FALSE(fake_.files.Exists(kUnit));
  EXPECT_THAT(fake_.processes.changes(), Contains("systemctl disable kubeadm-config-keep.service"));
}

TEST_F(TrialTest, OpenRcKeepsWatch) {
  for (const char* program : {"openrc", "rc-service", "rc-update"}) {
    fake_.processes.AddExecutable(program);
  }
  EXPECT_EQ(StartKeeper(fake_.host), Keeper::kService);
  EXPECT_THAT(fake_.files.Read(kScript), HasSubstr("command_args=\"config keep\"\n"));
  EXPECT_EQ(fake_.files.Stat(kScript)->mode, 0755U);
  EXPECT_THAT(fake_.processes.changes(), ElementsAre("rc-update add kubeadm-config-keep default",
                                                     "rc-service kubeadm-config-keep start"));
  StopKeeper(fake_.host);
  EXPECT_FALSE(fake_.files.Exists(kScript));
  EXPECT_THAT(fake_.processes.changes(), Contains("rc-update del kubeadm-config-keep default"));
}

TEST_F(TrialTest, ANodeThatLeavesForgetsItsTrial) {
  EXPECT_FALSE(HasTrial(fake_.files));
  fake_.processes.AddExecutable("systemctl");
  StartKeeper(fake_.host);
  fake_.processes.AddExecutable("rc-service");
  fake_.processes.AddExecutable("rc-update");
  fake_.files.Write(kScript, "", {});
  EXPECT_TRUE(HasTrial(fake_.files));
  Leave(Change::State::kTrying);
  fake_.files.Write(host::fs::path(kPodsFile), "{}", {});
  ForgetTrial(fake_.host);
  EXPECT_FALSE(HasTrial(fake_.files));
  for (const auto file :
       {std::string_view(kUnit), std::string_view(kScript), kChangeFile, kPodsFile}) {
    EXPECT_FALSE(fake_.files.Exists(host::fs::path(file))) << file;
  }
  EXPECT_THAT(fake_.processes.changes(), Contains("systemctl stop kubeadm-config-keep.service"));
  EXPECT_THAT(fake_.processes.changes(), Contains("rc-service kubeadm-config-keep stop"));
}

TEST_F(TrialTest, AChangeThatIsBeingTakenBackKeepsItsKeeper) {
  fake_.processes.AddExecutable("systemctl");
  fake_.files.Write(host::fs::path(kUnit), "", {});
  Leave(Change::State::kApplying);
  EXPECT_THAT(Thrown([&] { Confirm(fake_.host); }).message(), HasSubstr("'kubeadm config undo'"));
  EXPECT_TRUE(fake_.files.Exists(host::fs::path(kUnit)));
  Leave(Change::State::kTrying);
  Confirm(fake_.host);
  EXPECT_EQ(LoadChange(fake_.files)->state, Change::State::kKept);
  EXPECT_FALSE(fake_.files.Exists(host::fs::path(kUnit)));
  EXPECT_EQ(Thrown([&] { Confirm(fake_.host); }).kind(), base::Error::Kind::kNotFound);
}

TEST_F(TrialTest, AProcessKeepsWatchWhereSystemdDoesNot) {
  fake_.processes.AddExecutable("sh");
  EXPECT_EQ(StartKeeper(fake_.host), Keeper::kProcess);
  EXPECT_THAT(fake_.processes.changes(), ElementsAre(StartsWith("sh -c exec setsid -f")));
  StopKeeper(fake_.host);
  EXPECT_EQ(fake_.processes.changes().size(), 1U) << "there is no service to remove";
}

TEST_F(TrialTest, NothingIsTriedThatNobodyWouldTakeBack) {
  fake_.processes.AddExecutable("systemctl");
  fake_.processes.On("systemctl enable", {.exit_code = 1});
  fake_.processes.On("sh -c", {.exit_code = 127, .err = "setsid: not found\n"});
  EXPECT_THAT(Thrown([&] { StartKeeper(fake_.host); }).message(),
              HasSubstr("nothing was changed: what would take the change back cannot be started: "
                        "setsid: not found"));
  EXPECT_FALSE(fake_.files.Exists(kUnit));
}

}  // namespace
}  // namespace config_change
