// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "certs/remaining.h"
#include "kubeadm/certs/renewal.h"
#include "kubeadm/certs/source.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "renewal/metrics.h"
#include "renewal/report.h"
#include "renewal/schedule_report.h"

namespace kubeadm {
namespace {

// The timer has no user who waits: with the defaults, certificates get the default's keys and
// periods.
constexpr std::chrono::milliseconds kPatience{60'000};

// Words of a unit file and a crontab are not quoted, so they must not need it.
std::string PlainWord(const cli::Parsed& flags, const std::string& flag) {
  const std::string& text = flags.Text(flag);
  if (!renewal::IsPlainWord(text)) {
    throw base::Error(base::Error::Kind::kUsage,
                      fmt::format("--{} {}: only letters, digits and {} are possible here", flag,
                                  base::Quoted(text), renewal::kPlainSigns));
  }
  return text;
}

// Here the time is required; its flag has a default.
void RequireTime(const cli::Parsed& flags) {
  base::WithContext("--if-expires-within",
                    [&] { certs::ParseRemaining(flags.Text("if-expires-within")); });
}

renewal::ScheduleOptions OptionsOf(const cli::Parsed& flags, host::Host& host) {
  RequireTime(flags);
  renewal::ScheduleOptions options{.within = PlainWord(flags, "if-expires-within"),
                                   .restart = flags.Bool("restart"),
                                   .textfile = PlainWord(flags, "textfile")};
  options.program = renewal::ScheduledProgram(host);
  return options;
}

void Change(cli::Invocation& invocation, host::Host& host, const Output& output,
            const renewal::Schedule& schedule) {
  const auto change = [&] {
    const NodeLock lock =
        LockNode(invocation, host, {.say = [&](const std::string& line) { output.Line(line); }});
    renewal::Apply(schedule, host);
    output.Show(renewal::ScheduleChange{schedule});
  };
  const auto show = [&] {
    output.Show(renewal::ScheduleChange{schedule, renewal::ReportWords::kPlanned});
  };
  WorldBy(invocation.flags, host)->Do({.on_machine = change, .in_dry_run = show});
}

void Enable(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const renewal::ScheduleOptions options = OptionsOf(invocation.flags, host);
  Change(invocation, host, output,
         renewal::PlanEnable(renewal::RequireScheduler(host), options, host.files));
}

void Disable(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  Change(invocation, host, output,
         renewal::PlanDisable(renewal::RequireScheduler(host), host.files));
}

void Status(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  output.Show(renewal::StatusOf(renewal::RequireScheduler(host), host));
}

// A file named by the user must be written; the usual one may be missing.
void WriteMetrics(const cli::Parsed& flags, host::Host& host, const Renewal& renewal,
                  renewal::RunEnd end) {
  const auto path = renewal::MetricsFile(host.files, flags.Text("textfile"));
  if (!path) {
    return;
  }
  try {
    renewal::WriteMetrics(*path, renewal.config.cluster, end, host);
  } catch (const base::Error& error) {
    if (flags.Changed("textfile")) {
      throw;
    }
    base::LogWarning("the metrics of this run are not written: {}", error.message());
  }
}

void RunDaily(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const Output output(invocation, host);
  RequireTime(flags);
  Renewal renewal{.config = {}, .rows = {}, .options = RenewalOptions(flags)};
  renewal.config = LoadCertsConfigPatiently(
      flags, host, kPatience,
      {output, "[auto-renew]", [&renewal] { renewal.config_is_default = true; }});
  renewal.config_is_given = IsNodeGiven(flags, renewal.config);
  renewal.rows = renewal::ManagedRows(renewal.config.cluster);
  renewal.on_end = [&](renewal::RunEnd end) { WriteMetrics(flags, host, renewal, end); };
  output.Show(RunRenewal(invocation, host, output, renewal));
}

std::vector<cli::Flag> SwitchFlags(const char* patience) {
  return WithPrinter(
      {Switch("dry-run", "Show what would be done, and do nothing"), LockTimeoutFlag(patience)});
}

std::vector<cli::Flag> DailyFlags(const char* patience) {
  cli::Flag restart = Switch("restart", "Restart the static Pods whose certificates changed");
  restart.default_text = "true";
  return Joined(
      SwitchFlags(patience),
      {{.name = "if-expires-within",
        .default_text = "30d",
        .help = "Renew what expires within that time"},
       std::move(restart),
       {.name = "textfile",
        .help = "The file to write each certificate's expiry to, for Prometheus; not set: "
                "kubeadm_certs.prom in node_exporter's directory, if there is one"}});
}

}  // namespace

cli::Command AutoRenewCommand(host::Host& host) {
  constexpr const char* kPage = "certs-auto-renew";
  cli::Command group = Group("auto-renew", "Renew certificates by a timer", kPage, [&host] {
    return Made({{.name = "disable",
                  .summary = "Stop renewing certificates by a timer",
                  .text = kPage,
                  .flags = SwitchFlags(kStepPatience),
                  .run = Disable},
                 {.name = "enable",
                  .summary = "Renew certificates daily by a timer",
                  .text = kPage,
                  .flags = DailyFlags(kStepPatience),
                  .run = Enable},
                 {.name = "run",
                  .summary = "Do now what the timer does",
                  .text = kPage,
                  .flags = Joined(DailyFlags(kTimerPatience), CertsSourceFlags()),
                  .run = RunDaily},
                 {.name = "status",
                  .summary = "Say whether a timer renews certificates",
                  .text = kPage,
                  .flags = PrinterFlags(),
                  .run = Status}},
                host);
  });
  group.beyond_upstream = true;
  return group;
}

}  // namespace kubeadm
