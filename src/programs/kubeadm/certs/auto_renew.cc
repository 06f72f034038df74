#include "kubeadm/certs/auto_renew.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "certs/remaining.h"
#include "config/paths.h"
#include "json/rfc3339.h"
#include "kubeadm/certs/renewal_run.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "renewal/metrics.h"
#include "renewal/schedule.h"

namespace kubeadm {
namespace {

using cli::FlagType;
using renewal::Scheduler;

// Where Debian's node_exporter looks for textfiles.
constexpr std::string_view kTextfileFolder = "/var/lib/prometheus/node-exporter";
constexpr std::string_view kTextfileName = "kubeadm_certs.prom";

Scheduler SchedulerOf(host::Host& host) {
  const auto scheduler = renewal::DetectScheduler(host);
  if (!scheduler) {
    throw base::Error(base::Error::Kind::kNotFound,
                      "neither systemd nor cron was found on this machine; have your own scheduler "
                      "run this once a day: kubeadm certs renew all --if-expires-within 30d "
                      "--restart");
  }
  return *scheduler;
}

std::string ProgramOf(host::Host& host) {
  const auto program = host.processes.FindExecutable("kubeadm");
  if (!program) {
    throw base::Error(base::Error::Kind::kNotFound,
                      "there is no kubeadm in PATH that a timer could start");
  }
  return *program;
}

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
  options.program = ProgramOf(host);
  return options;
}

json::Ordered ObjectOf(const renewal::Schedule& schedule, bool dry_run) {
  json::Ordered files = json::Ordered::array();
  for (const renewal::ScheduleFile& file : schedule.files) {
    files.push_back({{"path", file.path.string()}, {"content", file.content}});
  }
  json::Ordered removed = json::Ordered::array();
  for (const host::fs::path& path : schedule.removed) {
    removed.push_back(path.string());
  }
  json::Ordered commands = json::Ordered::array();
  for (const auto* list : {&schedule.before, &schedule.after}) {
    for (const std::vector<std::string>& command : *list) {
      commands.push_back(base::Join(command, " "));
    }
  }
  return {{"kind", "AutoRenewalChange"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"dryRun", dry_run},
          {"written", std::move(files)},
          {"removed", std::move(removed)},
          {"commands", std::move(commands)}};
}

void AppendCommands(const std::vector<std::vector<std::string>>& commands, bool dry_run,
                    std::string& text) {
  for (const std::vector<std::string>& command : commands) {
    text += fmt::format("{} {}\n", dry_run ? "Would run" : "Ran", base::Join(command, " "));
  }
}

std::string TextOf(const renewal::Schedule& schedule, bool dry_run) {
  if (schedule.empty()) {
    return "Nothing to do\n";
  }
  std::string text;
  AppendCommands(schedule.before, dry_run, text);
  for (const renewal::ScheduleFile& file : schedule.files) {
    text += fmt::format("{} {}\n", dry_run ? "Would write" : "Wrote", file.path.string());
    if (dry_run) {
      text += file.content;
    }
  }
  for (const host::fs::path& path : schedule.removed) {
    text += fmt::format("{} {}\n", dry_run ? "Would remove" : "Removed", path.string());
  }
  AppendCommands(schedule.after, dry_run, text);
  return text;
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
  invocation.streams.out << (printer.IsText() ? TextOf(schedule, dry_run)
                                              : printer.Print(ObjectOf(schedule, dry_run)));
}

void Enable(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  const renewal::ScheduleOptions options = OptionsOf(invocation.flags, host);
  Change(invocation, host, printer, renewal::PlanEnable(SchedulerOf(host), options, host.files));
}

void Disable(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  Change(invocation, host, printer, renewal::PlanDisable(SchedulerOf(host), host.files));
}

void Status(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  const renewal::ScheduleStatus status = renewal::StatusOf(SchedulerOf(host), host);
  if (!printer.IsText()) {
    invocation.streams.out << printer.Print({{"kind", "AutoRenewalStatus"},
                                             {"apiVersion", "output.slipway/v1alpha1"},
                                             {"enabled", status.enabled},
                                             {"command", status.command},
                                             {"next", status.next}});
    return;
  }
  if (!status.enabled) {
    invocation.streams.out << "Certificates are not renewed by a timer; to have it done: kubeadm "
                              "certs auto-renew enable\n";
    return;
  }
  invocation.streams.out << "Certificates are renewed daily by: " << status.command << "\n";
  if (!status.next.empty()) {
    invocation.streams.out << "Next: " << status.next << "\n";
  }
}

void WriteMetrics(const cli::Parsed& flags, host::Host& host, const config::Init& config,
                  bool succeeded) {
  host::fs::path path = flags.Text("textfile");
  if (path.empty()) {
    if (!host.files.Exists(kTextfileFolder)) {
      return;
    }
    path = host::fs::path(kTextfileFolder) / kTextfileName;
  }
  const auto now = std::chrono::floor<std::chrono::seconds>(host.clock.Now());
  const certs::Expirations all = certs::ListExpirations({.files = host.files,
                                                         .cluster = config.cluster,
                                                         .kubeconfig_dir = config::kKubernetesDir,
                                                         .start = now});
  host.files.Write(path, renewal::MetricsText(all, {.now = now, .succeeded = succeeded}),
                   {.mode = 0644});
}

// One line for the log: what was done, and what expires first now.
std::string LogLine(const RenewalResult& result) {
  const auto renewed = result.RenewedNames();
  std::string line = "kubeadm certs auto-renew: ";
  line += renewed.empty() ? std::string("nothing to renew")
                          : fmt::format("renewed {}", fmt::join(renewed, ", "));
  if (!result.restarted.empty()) {
    line += "; restarted " + base::Join(result.restarted, ", ");
  }
  const RenewedRow* first = nullptr;
  for (const RenewedRow& row : result.rows) {
    if (row.expires && (first == nullptr || *row.expires < *first->expires)) {
      first = &row;
    }
  }
  if (first != nullptr) {
    line += fmt::format("; next to expire: {} at {}", first->row->name,
                        json::FormatRfc3339(*first->expires));
  }
  return line;
}

void RunDaily(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const print::Printer printer = PrinterOf(flags, host);
  const RenewalOptions options{.within = WithinOf(flags),
                               .dry_run = flags.Bool("dry-run"),
                               .restart = flags.Bool("restart")};
  const Say quiet = [](const std::string&) {};
  const config::Init config = LoadCertsConfig(flags, host, "[renew]", quiet);
  RenewalResult result;
  NodeLock lock;
  try {
    if (!options.dry_run) {
      lock = LockNode(
          invocation, host,
          {.directories = {config.cluster.certificates_dir}, .say = SayTo(invocation, printer)});
    }
    result = RunRenewal(ManagedRows(config.cluster), config, options, host, quiet);
  } catch (const base::Error&) {
    WriteMetrics(flags, host, config, false);
    throw;
  }
  if (!options.dry_run) {
    WriteMetrics(flags, host, config, true);
  }
  invocation.streams.out << (printer.IsText() ? LogLine(result) + "\n"
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
