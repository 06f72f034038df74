// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "certs/remaining.h"
#include "kubeadm/certs/renewal.h"
#include "kubeadm/certs/source.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "kubeadm/timers.h"
#include "renewal/daily.h"
#include "renewal/metrics.h"
#include "renewal/report.h"
#include "timers/textfile.h"

namespace kubeadm {
namespace {

// The retry limit for the cluster's configuration in a timer's run. It may be long, because no user
// waits. Without the cluster's configuration, certificates would get the default keys and validity
// periods.
constexpr std::chrono::milliseconds kPatience{60'000};

// Throws unless the flag has a time. `auto-renew` requires a time, although the flag has a default.
void RequireTime(const cli::Parsed& flags) {
  base::WithContext("--if-expires-within",
                    [&] { certs::ParseRemaining(flags.Text("if-expires-within")); });
}

renewal::DailyOptions OptionsOf(const cli::Parsed& flags, host::Host& host) {
  RequireTime(flags);
  renewal::DailyOptions options{.within = PlainWord(flags, "if-expires-within"),
                                .restart = flags.Bool("restart"),
                                .textfile = PlainWord(flags, "textfile")};
  options.program = timers::ScheduledProgram(host);
  return options;
}

void Enable(cli::Invocation& invocation, host::Host& host) {
  const renewal::DailyOptions options = OptionsOf(invocation.flags, host);
  ChangeTimer(invocation, host, renewal::kDaily,
              timers::PlanEnable(renewal::kDaily, timers::RequireScheduler(renewal::kDaily, host),
                                 renewal::DailyCommand(options), host.files));
}

void Disable(cli::Invocation& invocation, host::Host& host) {
  DisableTimer(invocation, host, renewal::kDaily);
}

void Status(cli::Invocation& invocation, host::Host& host) {
  ShowTimer(invocation, host, renewal::kDaily);
}

void RunDaily(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const Output output(invocation, host);
  RequireTime(flags);
  workflow::Reporter reporter(host.clock, {});  // only the result is printed
  Renewal renewal{.config = {}, .rows = {}, .options = RenewalOptions(flags), .reporter = reporter};
  renewal.config = LoadCertsConfigPatiently(
      flags, host, kPatience,
      {output, "[auto-renew]", [&renewal] { renewal.config_is_default = true; }});
  renewal.config_is_given = IsNodeGiven(flags, renewal.config);
  renewal.rows = renewal::ManagedRows(renewal.config.cluster);
  renewal.on_end = [&](renewal::RunEnd end) {
    timers::WriteTextfile(
        {.wanted = flags.Text("textfile"), .usual_name = "kubeadm_certs.prom"},
        [&] { return renewal::MetricsOf(renewal.config.cluster, end, host); }, host);
  };
  output.Show(RunRenewal(invocation, host, output, renewal));
}

std::vector<cli::Flag> DailyFlags(const char* patience) {
  cli::Flag restart = Switch("restart", "Restart the static Pods whose certificates changed");
  restart.default_text = "true";
  return Joined(
      TimerFlags(patience),
      {{.name = "if-expires-within",
        .default_text = "30d",
        .help = "Renew certificates that expire within that time"},
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
                  .flags = TimerFlags(kStepPatience),
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
