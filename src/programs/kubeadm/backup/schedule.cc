// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm backup schedule enable`, `disable`, `status` and `run`.
#include <fmt/core.h>

#include <optional>

#include "backup/daily.h"
#include "backup/storage.h"
#include "base/build.h"
#include "base/error.h"
#include "base/strings.h"
#include "certs/remaining.h"
#include "kubeadm/backup/keys.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "kubeadm/timers.h"

namespace kubeadm {
namespace {

using base::Error;
using cli::Parsed;

backup::Retention RetentionOf(const Parsed& flags) {
  backup::Retention retention{.count = flags.Int("keep"), .within = {}};
  if (retention.count < 1) {
    throw Error(Error::Kind::kUsage, "--keep must be at least 1");
  }
  if (const std::string& within = flags.Text("keep-within"); !within.empty()) {
    retention.within =
        base::WithContext("--keep-within", [&] { return certs::ParseRemaining(within); });
  }
  return retention;
}

// Returns the path in a form that a unit file can contain. The path must be absolute, because the
// timer starts in another directory.
std::string TimersPath(const std::string& path) {
  if (!path.starts_with('/') || !timers::IsPlainWord(path)) {
    throw Error(Error::Kind::kUsage,
                fmt::format("{}: a timer needs an absolute path of letters, digits and {}",
                            base::Quoted(path), timers::kPlainSigns));
  }
  return path;
}

// Returns the target of the daily backups. For a bucket, checks that the timer's runs can access
// it.
std::string TargetOf(const cli::Invocation& invocation, host::Host& host) {
  std::string target = RequireOneFile(invocation);
  if (!backup::IsInBucket(target)) {
    return TimersPath(target);
  }
  if (!timers::IsPlainWord(target, "/ . _ - :")) {
    throw Error(Error::Kind::kUsage,
                fmt::format("{}: a timer needs a bucket and keys of letters, digits and {}",
                            base::Quoted(target), timers::kPlainSigns));
  }
  backup::RequireTimersAccess(host);
  return target;
}

// Returns the options. Throws the errors that the flags would cause in the first run.
backup::DailyOptions OptionsOf(const cli::Invocation& invocation, host::Host& host) {
  const Parsed& flags = invocation.flags;
  backup::DailyOptions options{.program = "", .directory = TargetOf(invocation, host)};
  for (const char* flag : {"recipients-file", "passphrase-file", "textfile"}) {
    if (const std::string& path = flags.Text(flag); !path.empty()) {
      options.flags.push_back(fmt::format("--{}={}", flag, TimersPath(path)));
    }
  }
  for (const std::string& recipient : flags.List("recipient")) {
    options.flags.push_back("--recipient=" + recipient);
  }
  if (flags.Bool("plaintext")) {
    options.flags.emplace_back("--plaintext");
  }
  if (const std::string within = PlainWord(flags, "keep-within"); !within.empty()) {
    options.flags.push_back("--keep-within=" + within);
  }
  options.flags.push_back(fmt::format("--keep={}", flags.Int("keep")));
  LocksBy(flags, host.files);
  RetentionOf(flags);
  options.program = timers::ScheduledProgram(host);
  return options;
}

void Enable(cli::Invocation& invocation, host::Host& host) {
  const backup::DailyOptions options = OptionsOf(invocation, host);
  ChangeTimer(invocation, host, backup::kDaily,
              timers::PlanEnable(backup::kDaily, timers::RequireScheduler(backup::kDaily, host),
                                 backup::DailyCommand(options), host.files));
}

// Returns a prefix of keys, with a final slash. Every run creates a new object, so a key without a
// final slash is a prefix, too.
std::string PrefixOf(std::string target) {
  if (backup::IsInBucket(target) && !target.ends_with('/')) {
    target += '/';
  }
  return target;
}

void Run(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const auto say = [&](const std::string& line) { output.Line("[backup] " + line); };
  backup::DailyRequest request{.directory = PrefixOf(RequireOneFile(invocation)),
                               .locks = LocksBy(invocation.flags, host.files),
                               .retention = RetentionOf(invocation.flags),
                               .progress = ProgressOf(invocation, host),
                               .textfile = invocation.flags.Text("textfile")};
  std::optional<NodeLock> lock(LockNode(invocation, host, {.directories = {}, .say = say}));
  request.on_created = [&] { lock.reset(); };
  const backup::CollectionInput input{.host = host,
                                      .created_by = std::string(base::kSlipwayVersion),
                                      .stop = host.signals.Interrupt()};
  output.Show(backup::RunDaily(request, input, {.host = host, .say = say}));
}

void ShowStatus(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  timers::RequireScheduler(backup::kDaily, host);
  output.Show(backup::CollectSchedule(host));
}

std::vector<cli::Flag> DailyFlags() {
  return Joined(
      LockFlags(),
      {{.name = "keep",
        .type = cli::FlagType::kInt,
        .default_text = "14",
        .help = "The number of backups of this node that stay; older ones are removed"},
       {.name = "keep-within",
        .help = "Remove backups that are older than this, such as 30d; the last one stays"},
       {.name = "textfile",
        .help = "The file to write metrics to, for Prometheus; not set: kubeadm_backup.prom in "
                "node_exporter's directory, if there is one"}});
}

}  // namespace

cli::Command BackupScheduleCommand(host::Host& host) {
  constexpr const char* kPage = "backup-schedule";
  return Group("schedule", "Back this control plane up by a timer", kPage, [&host] {
    return Made({{.name = "disable",
                  .summary = "Stop making backups by a timer",
                  .text = kPage,
                  .flags = TimerFlags(kStepPatience),
                  .run = [](cli::Invocation& call,
                            host::Host& machine) { DisableTimer(call, machine, backup::kDaily); }},
                 {.name = "enable",
                  .summary = "Make, verify and rotate backups daily by a timer",
                  .text = kPage,
                  .flags = Joined(DailyFlags(), TimerFlags(kStepPatience)),
                  .usage_args = "DIRECTORY|s3://BUCKET/PREFIX/",
                  .max_args = 1,
                  .run = Enable},
                 {.name = "run",
                  .summary = "Do now what the timer does",
                  .text = kPage,
                  .flags = Joined(DailyFlags(), WithPrinter({LockTimeoutFlag(kTimerPatience)})),
                  .usage_args = "DIRECTORY|s3://BUCKET/PREFIX/",
                  .max_args = 1,
                  .run = Run},
                 {.name = "status",
                  .summary = "Show the timer of backups and the results of its runs",
                  .text = kPage,
                  .flags = PrinterFlags(),
                  .run = ShowStatus}},
                host);
  });
}

}  // namespace kubeadm
