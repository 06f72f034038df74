#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "certs/remaining.h"
#include "kubeadm/certs/commands.h"
#include "kubeadm/certs/renewal.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "renewal/metrics.h"
#include "renewal/report.h"
#include "renewal/schedule_report.h"

namespace kubeadm {
namespace {

using cli::FlagType;

// Words of a unit file and a crontab are not quoted, so they must not need it.
std::string PlainWord(const cli::Parsed& flags, const std::string& flag) {
  const std::string& text = flags.Text(flag);
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
  if (text.find_first_not_of(kPlain) != std::string::npos) {
    throw base::Error(base::Error::Kind::kUsage,
                      fmt::format("--{} {}: only letters, digits and / . _ - are possible here",
                                  flag, base::Quoted(text)));
  }
  return text;
}

// Here the time must be given; its default is.
base::Duration WithinOf(const cli::Parsed& flags) {
  return base::WithContext("--if-expires-within",
                           [&] { return certs::ParseRemaining(flags.Text("if-expires-within")); });
}

renewal::ScheduleOptions OptionsOf(const cli::Parsed& flags, host::Host& host) {
  WithinOf(flags);
  renewal::ScheduleOptions options{.within = PlainWord(flags, "if-expires-within"),
                                   .restart = flags.Bool("restart"),
                                   .textfile = PlainWord(flags, "textfile")};
  options.program = renewal::ScheduledProgram(host);
  return options;
}

void Change(cli::Invocation& invocation, host::Host& host, const Output& output,
            const renewal::Schedule& schedule) {
  if (invocation.flags.Bool("dry-run")) {
    output.Show(renewal::ScheduleChange{schedule, renewal::Told::kPlanned});
    return;
  }
  const NodeLock lock =
      LockNode(invocation, host, {.say = [&](const std::string& line) { output.Line(line); }});
  renewal::Apply(schedule, host);
  output.Show(renewal::ScheduleChange{schedule});
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

void WriteMetrics(const cli::Parsed& flags, host::Host& host, const config::Init& config,
                  renewal::RunEnd end) {
  if (const auto path = renewal::MetricsFile(host.files, flags.Text("textfile"))) {
    renewal::WriteMetrics(*path, config.cluster, end, host);
  }
}

void RunDaily(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const Output output(invocation, host);
  renewal::RunOptions options = RenewalOptions(flags);
  options.within = WithinOf(flags);
  const config::Init config = LoadCertsConfig(flags, host);
  renewal::RunResult result;
  NodeLock lock;
  try {
    if (!options.dry_run) {
      lock = LockNode(invocation, host,
                      {.directories = {config.cluster.certificates_dir},
                       .say = [&](const std::string& line) { output.Line(line); }});
    }
    result = RunRenewal(renewal::ManagedRows(config.cluster), config, options, host,
                        [](const std::string&) {});
  } catch (const base::Error&) {
    WriteMetrics(flags, host, config, renewal::RunEnd::kFailed);
    throw;
  }
  if (!options.dry_run) {
    WriteMetrics(flags, host, config, renewal::RunEnd::kSucceeded);
  }
  output.Show(result);
}

std::vector<cli::Flag> SwitchFlags(const char* patience) {
  return WithPrinter({{.name = "dry-run",
                       .type = FlagType::kBool,
                       .help = "Show what would be done, and do nothing"},
                      LockTimeoutFlag(patience)});
}

std::vector<cli::Flag> DailyFlags(const char* patience) {
  std::vector<cli::Flag> flags = SwitchFlags(patience);
  flags.push_back({.name = "if-expires-within",
                   .default_text = "30d",
                   .help = "Renew what expires within that time"});
  flags.push_back({.name = "restart",
                   .type = FlagType::kBool,
                   .default_text = "true",
                   .help = "Restart the static Pods whose certificates changed"});
  flags.push_back({.name = "textfile",
                   .help =
                       "The file to write each certificate's expiry to, for Prometheus; not "
                       "set: kubeadm_certs.prom in node_exporter's directory, if there is one"});
  return flags;
}

struct Child {
  std::string name;
  std::string summary;
  std::vector<cli::Flag> flags;
  void (*run)(cli::Invocation& invocation, host::Host& host);
};

std::vector<Child> Children() {
  std::vector<cli::Flag> run_flags = DailyFlags(kTimerPatience);
  std::ranges::move(CertsSourceFlags(), std::back_inserter(run_flags));
  return {
      {"disable", "Renew certificates no longer by a timer", SwitchFlags(kStepPatience), Disable},
      {"enable", "Renew certificates daily by a timer", DailyFlags(kStepPatience), Enable},
      {"run", "Do now what the timer does", std::move(run_flags), RunDaily},
      {"status", "Say whether a timer renews certificates", PrinterFlags(), Status}};
}

}  // namespace

cli::Command AutoRenewCommand(host::Host& host) {
  cli::Command group =
      Group("auto-renew", "Renew certificates by a timer", "certs-auto-renew", [&host] {
        std::vector<cli::Command> commands;
        for (Child& child : Children()) {
          cli::Command command =
              Documented(std::move(child.name), std::move(child.summary), "certs-auto-renew");
          command.flags = std::move(child.flags);
          command.run = [&host, run = child.run](cli::Invocation& invocation) {
            run(invocation, host);
          };
          commands.push_back(std::move(command));
        }
        return commands;
      });
  group.beyond_upstream = true;
  return group;
}

}  // namespace kubeadm
