#include "kubeadm/certs/auto_renew.h"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "certs/remaining.h"
#include "kubeadm/certs/auto_renew_report.h"
#include "kubeadm/certs/renewal_report.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "renewal/metrics.h"
#include "renewal/schedule.h"

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

Say SayTo(cli::Invocation& invocation, const print::Printer& printer) {
  return [&](const std::string& line) {
    if (printer.IsText()) {
      invocation.streams.out << line << '\n' << std::flush;
    }
  };
}

void Change(cli::Invocation& invocation, host::Host& host, const print::Printer& printer,
            const renewal::Schedule& schedule) {
  const bool dry_run = invocation.flags.Bool("dry-run");
  if (!dry_run) {
    const NodeLock lock = LockNode(invocation, host, {.say = SayTo(invocation, printer)});
    renewal::Apply(schedule, host);
  }
  invocation.streams.out << (printer.IsText() ? ScheduleText(schedule, dry_run)
                                              : printer.Print(ScheduleObject(schedule, dry_run)));
}

void Enable(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  const renewal::ScheduleOptions options = OptionsOf(invocation.flags, host);
  Change(invocation, host, printer,
         renewal::PlanEnable(renewal::RequireScheduler(host), options, host.files));
}

void Disable(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  Change(invocation, host, printer,
         renewal::PlanDisable(renewal::RequireScheduler(host), host.files));
}

void Status(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  const renewal::ScheduleStatus status = renewal::StatusOf(renewal::RequireScheduler(host), host);
  invocation.streams.out << (printer.IsText() ? StatusText(status)
                                              : printer.Print(StatusObject(status)));
}

void WriteMetrics(const cli::Parsed& flags, host::Host& host, const config::Init& config,
                  renewal::RunEnd end) {
  if (const auto path = renewal::MetricsFile(host.files, flags.Text("textfile"))) {
    renewal::WriteMetrics(*path, config.cluster, end, host);
  }
}

void RunDaily(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const print::Printer printer = PrinterOf(flags, host);
  const renewal::RunOptions options{.within = WithinOf(flags),
                                    .dry_run = flags.Bool("dry-run"),
                                    .restart = flags.Bool("restart")};
  const Say quiet = [](const std::string&) {};
  const config::Init config = LoadCertsConfig(flags, host, "[renew]", quiet);
  renewal::RunResult result;
  NodeLock lock;
  try {
    if (!options.dry_run) {
      lock = LockNode(
          invocation, host,
          {.directories = {config.cluster.certificates_dir}, .say = SayTo(invocation, printer)});
    }
    result = RunRenewal(renewal::ManagedRows(config.cluster), config, options, host, quiet);
  } catch (const base::Error&) {
    WriteMetrics(flags, host, config, renewal::RunEnd::kFailed);
    throw;
  }
  if (!options.dry_run) {
    WriteMetrics(flags, host, config, renewal::RunEnd::kSucceeded);
  }
  invocation.streams.out << (printer.IsText() ? RenewalSummary(result) + "\n"
                                              : printer.Print(ResultObject(result)));
}

std::vector<cli::Flag> DryRunAndPrinter() {
  std::vector<cli::Flag> flags = PrinterFlags();
  flags.push_back({.name = "dry-run",
                   .type = FlagType::kBool,
                   .help = "Show what would be done, and do nothing"});
  return flags;
}

std::vector<cli::Flag> SwitchFlags() {
  std::vector<cli::Flag> flags = DryRunAndPrinter();
  flags.push_back(LockTimeoutFlag(kStepPatience));
  return flags;
}

std::vector<cli::Flag> DailyFlags(const char* patience) {
  std::vector<cli::Flag> flags = DryRunAndPrinter();
  flags.push_back(LockTimeoutFlag(patience));
  flags.push_back({.name = "if-expires-within",
                   .default_text = "30d",
                   .help = "Renew what expires within that time"});
  flags.push_back({.name = "restart",
                   .type = FlagType::kBool,
                   .default_text = "true",
                   .help = "Restart the static Pods whose certificates changed"});
  flags.push_back({.name = "textfile",
                   .help = "The file to write each certificate's expiry to, for Prometheus; not "
                           "set: kubeadm_certs.prom in node_exporter's folder, if there is one"});
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
  return {{"disable", "Renew certificates no longer by a timer", SwitchFlags(), Disable},
          {"enable", "Renew certificates daily by a timer", DailyFlags(kStepPatience), Enable},
          {"run", "Do now what the timer does", std::move(run_flags), RunDaily},
          {"status", "Say whether a timer renews certificates", PrinterFlags(), Status}};
}

}  // namespace

cli::Command AutoRenewCommand(host::Host& host) {
  cli::Command group =
      Documented("auto-renew", "Renew certificates by a timer", "certs-auto-renew");
  group.hidden = true;
  group.run = cli::RequireSubcommand;
  group.children = [&host] {
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
  };
  return group;
}

}  // namespace kubeadm
