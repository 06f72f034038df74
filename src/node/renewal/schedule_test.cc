// SPDX-License-Identifier: Apache-2.0
#include "renewal/schedule.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace renewal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kService = "/etc/systemd/system/kubeadm-certs-renew.service";
constexpr const char* kTimer = "/etc/systemd/system/kubeadm-certs-renew.timer";
constexpr const char* kCrontab = "/etc/crontabs/root";

ScheduleOptions Options() { return {.program = "/usr/bin/kubeadm"}; }

TEST(DailyCommand, SaysEverythingInWordsWithoutBlanks) {
  ScheduleOptions options = Options();
  options.restart = false;
  options.within = "2w";
  options.textfile = "/var/lib/x.prom";
  EXPECT_THAT(DailyCommand(options), ElementsAre("/usr/bin/kubeadm", "certs", "auto-renew", "run",
                                                 "--if-expires-within=2w", "--restart=false",
                                                 "--textfile=/var/lib/x.prom"));
}

TEST(ScheduledProgram, IsTheOneThatRunsWhateverIsFirstInPath) {
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

TEST(Schedule, SystemdGetsAServiceAndATimer) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  ASSERT_EQ(DetectScheduler(fake.host), Scheduler::kSystemd);
  Apply(PlanEnable(Scheduler::kSystemd, Options(), fake.files), fake.host);
  EXPECT_THAT(fake.files.Read(kService),
              HasSubstr("ExecStart=/usr/bin/kubeadm certs auto-renew run "
                        "--if-expires-within=30d --restart=true\n"));
  EXPECT_THAT(fake.files.Read(kTimer), HasSubstr("OnCalendar=daily\n"));
  EXPECT_EQ(fake.files.Stat(kTimer)->mode, 0644U);
  EXPECT_THAT(
      fake.processes.changes(),
      ElementsAre("systemctl daemon-reload", "systemctl enable --now kubeadm-certs-renew.timer"));
}

TEST(Schedule, SystemdStatusNamesCommandAndNextRun) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  fake.processes.On("systemctl is-enabled", {.exit_code = 1});
  EXPECT_FALSE(StatusOf(Scheduler::kSystemd, fake.host).enabled);
  fake.processes.On("systemctl is-enabled", {.exit_code = 0});
  fake.processes.On("systemctl show", {.out = "Fri 2026-01-02 01:02:03 UTC\n"});
  Apply(PlanEnable(Scheduler::kSystemd, Options(), fake.files), fake.host);
  const ScheduleStatus status = StatusOf(Scheduler::kSystemd, fake.host);
  EXPECT_TRUE(status.enabled);
  EXPECT_THAT(status.command, HasSubstr("/usr/bin/kubeadm certs auto-renew run"));
  EXPECT_EQ(status.next, "Fri 2026-01-02 01:02:03 UTC");
  EXPECT_EQ(status.problem, "there is no program \"/usr/bin/kubeadm\"");
  fake.files.Write("/usr/bin/kubeadm", "", {});
  EXPECT_EQ(StatusOf(Scheduler::kSystemd, fake.host).problem, "");
}

TEST(Schedule, DisablingSystemdLeavesNothing) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  EXPECT_TRUE(PlanDisable(Scheduler::kSystemd, fake.files).empty());
  Apply(PlanEnable(Scheduler::kSystemd, Options(), fake.files), fake.host);
  Apply(PlanDisable(Scheduler::kSystemd, fake.files), fake.host);
  EXPECT_FALSE(fake.files.Exists(kService));
  EXPECT_FALSE(fake.files.Exists(kTimer));
  EXPECT_THAT(
      fake.processes.changes(),
      ElementsAre("systemctl daemon-reload", "systemctl enable --now kubeadm-certs-renew.timer",
                  "systemctl disable --now kubeadm-certs-renew.timer", "systemctl daemon-reload"));
}

TEST(Schedule, ACommandThatFailsIsNamedWithItsWords) {
  host::FakeHost fake;
  fake.processes.On("systemctl daemon-reload", {.exit_code = 1, .err = "no bus\n"});
  const base::Error error = base::Thrown(
      [&] { Apply(PlanEnable(Scheduler::kSystemd, Options(), fake.files), fake.host); });
  EXPECT_EQ(error.message(), "\"systemctl daemon-reload\" failed: no bus");
}

TEST(Schedule, ACrontabKeepsItsOtherLines) {
  host::FakeHost fake;
  fake.files.Write("/etc/hostname", "cp-one\n", {});
  fake.files.Write(kCrontab, "# mine\n\n0 0 * * * run-parts /etc/periodic/daily\n", {});
  ASSERT_EQ(DetectScheduler(fake.host), Scheduler::kCrontab);
  EXPECT_TRUE(PlanDisable(Scheduler::kCrontab, fake.files).empty());
  Apply(PlanEnable(Scheduler::kCrontab, Options(), fake.files), fake.host);
  const std::string once = fake.files.Read(kCrontab);
  EXPECT_THAT(once, HasSubstr("run-parts"));
  EXPECT_THAT(once, testing::ContainsRegex("\n[0-9]+ [0-5] \\* \\* \\* env "
                                           "PATH=[a-z:/]*:/sbin:/bin /usr/bin/kubeadm certs "
                                           "auto-renew run .* \\| logger -t kubeadm-certs "
                                           "# kubeadm certs auto-renew\n"));
  Apply(PlanEnable(Scheduler::kCrontab, Options(), fake.files), fake.host);
  EXPECT_EQ(fake.files.Read(kCrontab), once);
  const ScheduleStatus status = StatusOf(Scheduler::kCrontab, fake.host);
  EXPECT_TRUE(status.enabled);
  EXPECT_EQ(status.command,
            "/usr/bin/kubeadm certs auto-renew run --if-expires-within=30d --restart=true");
  Apply(PlanDisable(Scheduler::kCrontab, fake.files), fake.host);
  EXPECT_EQ(fake.files.Read(kCrontab), "# mine\n\n0 0 * * * run-parts /etc/periodic/daily\n");
  EXPECT_FALSE(StatusOf(Scheduler::kCrontab, fake.host).enabled);
}

TEST(Schedule, ALineWithoutPathIsUnderstood) {
  host::FakeHost fake;
  fake.files.Write(kCrontab,
                   "1 2 * * * /usr/bin/kubeadm certs auto-renew run 2>&1 | logger -t kubeadm-certs "
                   "# kubeadm certs auto-renew\n",
                   {});
  EXPECT_EQ(StatusOf(Scheduler::kCrontab, fake.host).command,
            "/usr/bin/kubeadm certs auto-renew run");
}

TEST(Schedule, ACronDirectoryGetsAFileWithAUser) {
  host::FakeHost fake;
  fake.files.MakeDirectories("/etc/cron.d", 0755);
  ASSERT_EQ(DetectScheduler(fake.host), Scheduler::kCronDirectory);
  Apply(PlanEnable(Scheduler::kCronDirectory, Options(), fake.files), fake.host);
  // Debian's cron searches only /usr/bin and /bin; openrc and rc-service are elsewhere.
  EXPECT_THAT(fake.files.Read("/etc/cron.d/kubeadm-certs-renew"),
              testing::ContainsRegex("^PATH=[a-z:/]*:/usr/sbin:[a-z:/]*:/sbin:/bin\n"
                                     "[0-9]+ [0-5] \\* \\* \\* root /usr/bin/kubeadm certs"));
  const ScheduleStatus status = StatusOf(Scheduler::kCronDirectory, fake.host);
  EXPECT_TRUE(status.enabled);
  EXPECT_EQ(status.command,
            "/usr/bin/kubeadm certs auto-renew run --if-expires-within=30d --restart=true");
  Apply(PlanDisable(Scheduler::kCronDirectory, fake.files), fake.host);
  EXPECT_FALSE(fake.files.Exists("/etc/cron.d/kubeadm-certs-renew"));
}

TEST(Schedule, IsMissingWithoutSystemdAndCron) {
  host::FakeHost fake;
  EXPECT_EQ(DetectScheduler(fake.host), std::nullopt);
}

}  // namespace
}  // namespace renewal
