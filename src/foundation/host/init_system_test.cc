// SPDX-License-Identifier: Apache-2.0
#include "host/init_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(InitSystemTest, PrefersSystemd) {
  FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  fake.processes.AddExecutable("openrc");
  EXPECT_EQ(DetectInitSystem(fake.host)->Name(), "systemd");
}

TEST(InitSystemTest, ReturnsNullWithoutAnInitSystem) {
  FakeHost fake;
  EXPECT_EQ(DetectInitSystem(fake.host), nullptr);
}

TEST(InitSystemTest, DetectsOpenRcOnlyWithItsTools) {
  FakeHost fake;
  fake.processes.AddExecutable("openrc");
  EXPECT_THROW(DetectInitSystem(fake.host), base::Error);
  fake.processes.AddExecutable("rc-service");
  EXPECT_THROW(DetectInitSystem(fake.host), base::Error);
  fake.processes.AddExecutable("rc-update");
  EXPECT_EQ(DetectInitSystem(fake.host)->Name(), "openrc");
}

TEST(SystemdTest, AssumesThatAUnitExistsUnlessStatusDeniesIt) {
  const std::pair<RunResult, bool> cases[] = {
      {{.exit_code = 3, .out = "     Loaded: loaded (/lib/…)\n"}, true},
      {{.exit_code = 4, .err = "Unit kubelet.service could not be found.\n"}, false},
      {{.exit_code = 3, .out = "     Loaded: not-found (Reason: …)\n"}, false},
      {{.out = ""}, true}};
  for (const auto& [result, want] : cases) {
    FakeHost fake;
    fake.processes.On("systemctl status kubelet", result);
    EXPECT_EQ(DetectInitSystem(fake.host)->Exists("kubelet"), want) << result.Combined();
  }
}

TEST(SystemdTest, ReadsEnabledFromTheExitCodeAndActiveFromTheOutput) {
  FakeHost fake;
  fake.processes.On("systemctl is-enabled on", {.out = "enabled\n"});
  fake.processes.On("systemctl is-enabled off", {.exit_code = 1, .out = "disabled\n"});
  fake.processes.On("systemctl is-active up", {.out = "active\n"});
  fake.processes.On("systemctl is-active rising", {.exit_code = 3, .out = "activating\n"});
  fake.processes.On("systemctl is-active down", {.exit_code = 3, .out = "inactive\n"});
  const auto systemd = DetectInitSystem(fake.host);
  EXPECT_TRUE(systemd->IsEnabled("on"));
  EXPECT_FALSE(systemd->IsEnabled("off"));
  EXPECT_TRUE(systemd->IsActive("up"));
  EXPECT_TRUE(systemd->IsActive("rising"));
  EXPECT_FALSE(systemd->IsActive("down"));
  EXPECT_THAT(fake.processes.changes(), ElementsAre()) << "questions change nothing";
}

TEST(SystemdTest, StartingReloadsUnitsFirst) {
  FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  const auto systemd = DetectInitSystem(fake.host);
  systemd->Start("kubelet");
  systemd->Restart("kubelet");
  systemd->Stop("kubelet");
  EXPECT_THAT(
      fake.processes.changes(),
      ElementsAre("systemctl daemon-reload", "systemctl start kubelet", "systemctl daemon-reload",
                  "systemctl restart kubelet", "systemctl stop kubelet"));
  EXPECT_EQ(systemd->EnableCommand("kubelet"), "systemctl enable kubelet.service");
}

TEST(SystemdTest, IncludesTheOutputInAnError) {
  FakeHost fake;
  fake.processes.On("systemctl stop", {.exit_code = 5, .err = "Unit not loaded.\n"});
  EXPECT_EQ(base::MessageOf([&] { DetectInitSystem(fake.host)->Stop("kubelet"); }),
            "\"systemctl stop kubelet\" failed with 5: Unit not loaded.");
  fake.processes.On("systemctl daemon-reload", {.exit_code = 137, .timed_out = true});
  EXPECT_EQ(base::MessageOf([&] { DetectInitSystem(fake.host)->Start("kubelet"); }),
            "\"systemctl daemon-reload\" did not end in time");
}

TEST(SystemdTest, NamesTheProcessOfAService) {
  FakeHost fake;
  fake.processes.On("systemctl show up --property=MainPID", {.out = "MainPID=77\n"});
  fake.processes.On("systemctl show down --property=MainPID", {.out = "MainPID=0\n"});
  fake.processes.On("systemctl show none --property=MainPID", {.exit_code = 1});
  const auto systemd = DetectInitSystem(fake.host);
  EXPECT_EQ(systemd->FindProcess("up"), 77);
  EXPECT_EQ(systemd->FindProcess("down"), std::nullopt);
  EXPECT_EQ(systemd->FindProcess("none"), std::nullopt);
  EXPECT_THAT(fake.processes.changes(), ElementsAre());
}

TEST(OpenRcTest, NamesTheProcessOfAService) {
  FakeHost fake;
  for (const char* tool : {"openrc", "rc-service", "rc-update"}) {
    fake.processes.AddExecutable(tool);
  }
  fake.files.Write("/run/openrc/options/supervised/child_pid", "77", {});
  fake.files.Write("/run/openrc/daemons/supervised/001", "pidfile=/run/s.pid\n", {});
  fake.files.Write("/run/openrc/daemons/plain/001", "exec=/bin/x\npidfile=/run/plain.pid\n", {});
  fake.files.Write("/run/plain.pid", "78\n", {});
  fake.files.Write("/run/openrc/daemons/without/001", "exec=/bin/x\npidfile=\n", {});
  const auto openrc = DetectInitSystem(fake.host);
  EXPECT_EQ(openrc->FindProcess("supervised"), 77);
  EXPECT_EQ(openrc->FindProcess("plain"), 78);
  EXPECT_EQ(openrc->FindProcess("without"), std::nullopt);
  EXPECT_EQ(openrc->FindProcess("none"), std::nullopt);
}

TEST(OpenRcTest, UsesItsTools) {
  FakeHost fake;
  fake.processes.AddExecutable("openrc");
  fake.processes.On("rc-service kubelet status", {.out = " * status: started\n"});
  fake.processes.On("rc-service old status", {.exit_code = 3, .out = " * status: stopped\n"});
  fake.processes.On("rc-service none status",
                    {.exit_code = 1, .err = " * rc-service: service `none' does not exist\n"});
  fake.processes.On("rc-update show default",
                    {.out = "  kubelet | default\n  not-old | default\n  late | boot\n"});
  const auto openrc = DetectInitSystem(fake.host);
  struct Case {
    const char* service;
    bool exists;
    bool active;
    bool enabled;
  };
  for (const Case& c : {Case{"kubelet", true, true, true}, Case{"old", true, false, false},
                        Case{"none", false, false, false}}) {
    EXPECT_EQ(openrc->Exists(c.service), c.exists) << c.service;
    EXPECT_EQ(openrc->IsActive(c.service), c.active) << c.service;
    EXPECT_EQ(openrc->IsEnabled(c.service), c.enabled) << c.service;
  }
  openrc->Start("a");
  openrc->Restart("b");
  openrc->Stop("c");
  EXPECT_THAT(fake.processes.changes(),
              ElementsAre("rc-service a start", "rc-service b restart", "rc-service c stop"));
  EXPECT_EQ(openrc->EnableCommand("kubelet"), "rc-update add kubelet default");
}

}  // namespace
}  // namespace host
