// SPDX-License-Identifier: Apache-2.0
#include "timers/timer.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace timers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kService = "/etc/systemd/system/kubeadm-certs-renew.service";
constexpr const char* kTimer = "/etc/systemd/system/kubeadm-certs-renew.timer";
constexpr const char* kCrontab = "/etc/crontabs/root";

constexpr Task kTask{.name = "kubeadm-certs-renew",
                     .group = "kubeadm certs auto-renew",
                     .log = "kubeadm-certs",
                     .kind = "AutoRenewal",
                     .purpose = "Renew the certificates of this node",
                     .happens = "Certificates are renewed",
                     .lacks = "Certificates are not renewed by a timer",
                     .elsewhere = "kubeadm certs renew all"};

const std::vector<std::string> kCommand{"/usr/bin/kubeadm", "certs", "auto-renew", "run",
                                        "--restart=true"};

Change Enabling(Scheduler scheduler, const host::Files& files) {
  return PlanEnable(kTask, scheduler, kCommand, files);
}

TEST(ScheduledProgram, IsTheRunningProgramWhateverPathNames) {
  host::FakeHost fake;
  fake.processes.AddExecutable("kubeadm");
  fake.processes.own_program = "/opt/slipway-1.37+2/kubeadm";
  EXPECT_EQ(ScheduledProgram(fake.host), "/opt/slipway-1.37+2/kubeadm");
  for (const char* program : {"/root/my tools/kubeadm", "/opt/50%/kubeadm", "/opt/$x/kubeadm"}) {
    fake.processes.own_program = program;
    const base::Error error = base::Thrown([&] { ScheduledProgram(fake.host); });
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("Run kubeadm from another path"));
  }
}

TEST(ScheduledProgram, CanBeReplacedByRootOnly) {
  host::FakeHost fake;
  fake.processes.own_program = "/srv/tools/bin/kubeadm";
  fake.files.Write("/srv/tools/bin/kubeadm", "", {.mode = 0755});
  EXPECT_EQ(ScheduledProgram(fake.host), "/srv/tools/bin/kubeadm");
  for (const char* part : {"/srv/tools/bin/kubeadm", "/srv/tools/bin", "/srv/tools"}) {
    fake.files.SetMode(part, 0777);
    const base::Error error = base::Thrown([&] { ScheduledProgram(fake.host); });
    EXPECT_EQ(error.kind(), base::Error::Kind::kForbidden) << part;
    EXPECT_THAT(error.message(),
                HasSubstr(std::string("\"") + part + "\" may be changed by every"));
    fake.files.SetMode(part, 0755);
  }
  fake.files.SetMode("/srv/tools", 01777);
  EXPECT_EQ(ScheduledProgram(fake.host), "/srv/tools/bin/kubeadm") << "as in /tmp";
}

TEST(Timer, SystemdGetsAServiceAndATimer) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  ASSERT_EQ(DetectScheduler(fake.host), Scheduler::kSystemd);
  Apply(Enabling(Scheduler::kSystemd, fake.files), fake.host);
  EXPECT_THAT(fake.files.Read(kService),
              HasSubstr("ExecStart=/usr/bin/kubeadm certs auto-renew run --restart=true\n"));
  EXPECT_THAT(fake.files.Read(kTimer), HasSubstr("OnCalendar=daily\n"));
  EXPECT_EQ(fake.files.Stat(kTimer)->mode, 0644U);
  EXPECT_THAT(
      fake.processes.changes(),
      ElementsAre("systemctl daemon-reload", "systemctl enable --now kubeadm-certs-renew.timer"));
}

TEST(Timer, SystemdStatusNamesCommandAndNextRun) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  fake.processes.On("systemctl is-enabled", {.exit_code = 1});
  EXPECT_FALSE(StatusOf(kTask, Scheduler::kSystemd, fake.host).enabled);
  fake.processes.On("systemctl is-enabled", {.exit_code = 0});
  fake.processes.On("systemctl show", {.out = "Fri 2026-01-02 01:02:03 UTC\n"});
  Apply(Enabling(Scheduler::kSystemd, fake.files), fake.host);
  const Status status = StatusOf(kTask, Scheduler::kSystemd, fake.host);
  EXPECT_TRUE(status.enabled);
  EXPECT_THAT(status.command, HasSubstr("/usr/bin/kubeadm certs auto-renew run"));
  EXPECT_EQ(status.next, "Fri 2026-01-02 01:02:03 UTC");
  EXPECT_EQ(status.problem, "there is no program \"/usr/bin/kubeadm\"");
  fake.files.Write("/usr/bin/kubeadm", "", {});
  EXPECT_EQ(StatusOf(kTask, Scheduler::kSystemd, fake.host).problem, "");
}

TEST(Timer, DisablingSystemdLeavesNothing) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  EXPECT_TRUE(PlanDisable(kTask, Scheduler::kSystemd, fake.files).empty());
  Apply(Enabling(Scheduler::kSystemd, fake.files), fake.host);
  Apply(PlanDisable(kTask, Scheduler::kSystemd, fake.files), fake.host);
  EXPECT_FALSE(fake.files.Exists(kService));
  EXPECT_FALSE(fake.files.Exists(kTimer));
  EXPECT_THAT(
      fake.processes.changes(),
      ElementsAre("systemctl daemon-reload", "systemctl enable --now kubeadm-certs-renew.timer",
                  "systemctl disable --now kubeadm-certs-renew.timer", "systemctl daemon-reload"));
}

TEST(Timer, NamesAFailedCommandWithItsOutput) {
  host::FakeHost fake;
  fake.processes.On("systemctl daemon-reload", {.exit_code = 1, .err = "no bus\n"});
  const base::Error error =
      base::Thrown([&] { Apply(Enabling(Scheduler::kSystemd, fake.files), fake.host); });
  EXPECT_EQ(error.message(), "\"systemctl daemon-reload\" failed: no bus");
}

TEST(Timer, ACrontabKeepsItsOtherLines) {
  host::FakeHost fake;
  fake.files.Write("/etc/hostname", "cp-one\n", {});
  fake.files.Write(kCrontab, "# mine\n\n0 0 * * * run-parts /etc/periodic/daily\n", {});
  ASSERT_EQ(DetectScheduler(fake.host), Scheduler::kCrontab);
  EXPECT_TRUE(PlanDisable(kTask, Scheduler::kCrontab, fake.files).empty());
  Apply(Enabling(Scheduler::kCrontab, fake.files), fake.host);
  const std::string once = fake.files.Read(kCrontab);
  EXPECT_THAT(once, HasSubstr("run-parts"));
  EXPECT_THAT(once, testing::ContainsRegex("\n[0-9]+ [0-5] \\* \\* \\* env "
                                           "PATH=[a-z:/]*:/sbin:/bin /usr/bin/kubeadm certs "
                                           "auto-renew run .* \\| logger -t kubeadm-certs "
                                           "# kubeadm certs auto-renew\n"));
  Apply(Enabling(Scheduler::kCrontab, fake.files), fake.host);
  EXPECT_EQ(fake.files.Read(kCrontab), once);
  const Status status = StatusOf(kTask, Scheduler::kCrontab, fake.host);
  EXPECT_TRUE(status.enabled);
  EXPECT_EQ(status.command, "/usr/bin/kubeadm certs auto-renew run --restart=true");
  Apply(PlanDisable(kTask, Scheduler::kCrontab, fake.files), fake.host);
  EXPECT_EQ(fake.files.Read(kCrontab), "# mine\n\n0 0 * * * run-parts /etc/periodic/daily\n");
  EXPECT_FALSE(StatusOf(kTask, Scheduler::kCrontab, fake.host).enabled);
}

TEST(Timer, KeepsTheTasksOfOneMachineSeparate) {
  host::FakeHost fake;
  Task other = kTask;
  other.name = "kubeadm-backup";
  other.group = "kubeadm backup schedule";
  fake.files.Write(kCrontab, "", {});
  Apply(Enabling(Scheduler::kCrontab, fake.files), fake.host);
  Apply(PlanEnable(other, Scheduler::kCrontab, {"/usr/bin/kubeadm", "backup"}, fake.files),
        fake.host);
  EXPECT_TRUE(StatusOf(kTask, Scheduler::kCrontab, fake.host).enabled);
  Apply(PlanDisable(kTask, Scheduler::kCrontab, fake.files), fake.host);
  EXPECT_FALSE(StatusOf(kTask, Scheduler::kCrontab, fake.host).enabled);
  EXPECT_EQ(StatusOf(other, Scheduler::kCrontab, fake.host).command, "/usr/bin/kubeadm backup");
}

TEST(Timer, ReadsACrontabLineWithoutPath) {
  host::FakeHost fake;
  fake.files.Write(kCrontab,
                   "1 2 * * * /usr/bin/kubeadm certs auto-renew run 2>&1 | logger -t kubeadm-certs "
                   "# kubeadm certs auto-renew\n",
                   {});
  EXPECT_EQ(StatusOf(kTask, Scheduler::kCrontab, fake.host).command,
            "/usr/bin/kubeadm certs auto-renew run");
}

TEST(Timer, ACronDirectoryGetsAFileWithAUser) {
  host::FakeHost fake;
  fake.files.MakeDirectories("/etc/cron.d", 0755);
  ASSERT_EQ(DetectScheduler(fake.host), Scheduler::kCronDirectory);
  Apply(Enabling(Scheduler::kCronDirectory, fake.files), fake.host);
  // Debian's cron searches only /usr/bin and /bin; openrc and rc-service are elsewhere.
  EXPECT_THAT(fake.files.Read("/etc/cron.d/kubeadm-certs-renew"),
              testing::ContainsRegex("^PATH=[a-z:/]*:/usr/sbin:[a-z:/]*:/sbin:/bin\n"
                                     "[0-9]+ [0-5] \\* \\* \\* root /usr/bin/kubeadm certs"));
  const Status status = StatusOf(kTask, Scheduler::kCronDirectory, fake.host);
  EXPECT_TRUE(status.enabled);
  EXPECT_EQ(status.command, "/usr/bin/kubeadm certs auto-renew run --restart=true");
  Apply(PlanDisable(kTask, Scheduler::kCronDirectory, fake.files), fake.host);
  EXPECT_FALSE(fake.files.Exists("/etc/cron.d/kubeadm-certs-renew"));
}

TEST(Timer, RequiresSystemdOrCron) {
  host::FakeHost fake;
  EXPECT_EQ(DetectScheduler(fake.host), std::nullopt);
  const base::Error error = base::Thrown([&] { RequireScheduler(kTask, fake.host); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("once a day: kubeadm certs renew all"));
}

}  // namespace
}  // namespace timers
