// SPDX-License-Identifier: Apache-2.0
// The daily renewal of certificates: its files and commands, for systemd or cron.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace renewal {

// The options of the daily command.
struct ScheduleOptions {
  std::string program;         // absolute path of kubeadm
  std::string within = "30d";  // renew certificates that expire within that time
  bool restart = true;         // restart the static Pods concerned
  std::string textfile = {};   // for Prometheus; "": none
};

// The program that starts it.
enum class Scheduler { kSystemd, kCronDirectory, kCrontab };

// Detects systemd if it runs the services here, else cron: its directory /etc/cron.d, or root's
// table of busybox's cron (/etc/crontabs). Returns std::nullopt without either.
std::optional<Scheduler> DetectScheduler(host::Host& host);

// Throws base::Error(kNotFound) with the remedy without one.
Scheduler RequireScheduler(host::Host& host);

// Returns the path of the running kubeadm, for units, scripts and crontabs. Throws base::Error:
// kConflict if its file has been replaced or removed, kInvalid if its path would need quotes there.
// Throws kForbidden if a user other than root could replace it.
std::string ScheduledProgram(const host::Host& host);

// A file to write; in a crontab only `content`'s lines are ours.
struct ScheduleFile {
  host::fs::path path;
  std::string content;
};

// All actions to enable or disable it.
struct Schedule {
  std::vector<std::vector<std::string>> before = {};  // commands
  std::vector<ScheduleFile> files = {};
  std::vector<host::fs::path> removed = {};
  std::vector<std::vector<std::string>> after = {};  // commands

  bool empty() const { return before.empty() && files.empty() && removed.empty(); }
};

// Pure except for the crontab, which it reads: other lines of it are kept.
Schedule PlanEnable(Scheduler scheduler, const ScheduleOptions& options, const host::Files& files);
Schedule PlanDisable(Scheduler scheduler, const host::Files& files);

// Executes it. Throws base::Error with a command's output if one fails.
void Apply(const Schedule& schedule, host::Host& host);

// The present setup.
struct ScheduleStatus {
  bool enabled = false;
  std::string command = {};  // that runs daily
  std::string next = {};     // systemd only; "" if unknown
  std::string problem = {};  // why it cannot run; "" without a known reason
};
ScheduleStatus StatusOf(Scheduler scheduler, host::Host& host);

// Returns whether a unit, a script of OpenRC and a crontab all read the word as it is, without
// quotes. `signs` are separated by blanks.
inline constexpr std::string_view kPlainSigns = "/ . _ -";
bool IsPlainWord(std::string_view word, std::string_view signs = kPlainSigns);

// Returns the command line of the daily run; its words contain no blanks.
std::vector<std::string> DailyCommand(const ScheduleOptions& options);

}  // namespace renewal
