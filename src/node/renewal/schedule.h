// SPDX-License-Identifier: Apache-2.0
// The daily renewal of certificates: what a machine needs to run it, by systemd or by cron.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace renewal {

// ScheduleOptions are what the daily command is to do.
struct ScheduleOptions {
  std::string program;         // absolute path of kubeadm
  std::string within = "30d";  // renew what expires within that time
  bool restart = true;         // restart the static Pods concerned
  std::string textfile = {};   // for Prometheus; "": none
};

// Scheduler is what starts it.
enum class Scheduler { kSystemd, kCronDirectory, kCrontab };

// DetectScheduler: systemd when it runs the services here, else cron: its directory /etc/cron.d, or
// root's table of busybox's cron (/etc/crontabs). Nothing when there is neither.
std::optional<Scheduler> DetectScheduler(host::Host& host);

// RequireScheduler throws base::Error(kNotFound) that says what to do without one.
Scheduler RequireScheduler(host::Host& host);

// ScheduledProgram is the path of the kubeadm that runs, for units, scripts and crontabs. Throws
// base::Error: kConflict when its file has been replaced or removed, kInvalid when its path
// would have to be quoted there.
std::string ScheduledProgram(const host::Host& host);

// ScheduleFile is a file to write; in a crontab only `content`'s lines are ours.
struct ScheduleFile {
  host::fs::path path;
  std::string content;
};

// Schedule is all that is to be done to enable or disable.
struct Schedule {
  std::vector<std::vector<std::string>> before = {};  // commands
  std::vector<ScheduleFile> files = {};
  std::vector<host::fs::path> removed = {};
  std::vector<std::vector<std::string>> after = {};  // commands

  bool empty() const { return before.empty() && files.empty() && removed.empty(); }
};

// Plan is pure except for the crontab, which it reads: other lines of it are kept.
Schedule PlanEnable(Scheduler scheduler, const ScheduleOptions& options, const host::Files& files);
Schedule PlanDisable(Scheduler scheduler, const host::Files& files);

// Apply does it. Throws base::Error with a command's output when one fails.
void Apply(const Schedule& schedule, host::Host& host);

// ScheduleStatus is what is set up now.
struct ScheduleStatus {
  bool enabled = false;
  std::string command = {};  // that runs daily
  std::string next = {};     // systemd only; "" when not known
  std::string problem = {};  // why it cannot run; "": nothing is known against it
};
ScheduleStatus StatusOf(Scheduler scheduler, host::Host& host);

// IsPlainWord: a unit, a script of OpenRC and a crontab read the word as it is, without quotes.
// `signs` are separated by blanks.
inline constexpr std::string_view kPlainSigns = "/ . _ -";
bool IsPlainWord(std::string_view word, std::string_view signs = kPlainSigns);

// DailyCommand is the command line of the daily run; words hold no blanks.
std::vector<std::string> DailyCommand(const ScheduleOptions& options);

}  // namespace renewal
