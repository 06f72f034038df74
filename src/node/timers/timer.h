// SPDX-License-Identifier: Apache-2.0
// Daily runs of a command of this program as root: the files and commands for systemd or cron.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace timers {

// A kind of daily run. The strings are literals. Names and marks exist on users' machines, so they
// must never change.
struct Task {
  std::string_view name;       // of systemd's units and of cron's file: "kubeadm-certs-renew"
  std::string_view group;      // of the commands enable and disable: "kubeadm certs auto-renew"
  std::string_view log;        // its name in the system's log, when cron starts it
  std::string_view kind;       // of the objects for programs: "AutoRenewal"
  std::string_view purpose;    // after "Description=": "Renew the certificates of this node"
  std::string_view happens;    // of a machine with the timer: "Certificates are renewed"
  std::string_view lacks;      // of one without: "Certificates are not renewed by a timer"
  std::string_view elsewhere;  // the command for another scheduler, once a day
};

// The program that starts the daily run.
enum class Scheduler { kSystemd, kCronDirectory, kCrontab };

// Detects systemd if it runs the services here, else cron: its directory /etc/cron.d, or root's
// table of busybox's cron (/etc/crontabs). Returns std::nullopt without either.
std::optional<Scheduler> DetectScheduler(host::Host& host);

// Returns the result of DetectScheduler. Throws base::Error(kNotFound), with the remedy, if the
// host has no scheduler.
Scheduler RequireScheduler(const Task& task, host::Host& host);

// Returns the path of the running kubeadm, for units, scripts and crontabs. Throws base::Error:
// kConflict if its file has been replaced or removed, kInvalid if its path would need quotes there.
// Throws kForbidden if a user other than root could replace it.
std::string ScheduledProgram(const host::Host& host);

// A file to write; in a crontab only `content`'s lines are ours.
struct TimerFile {
  host::fs::path path;
  std::string content;
};

// All actions to enable or disable a timer.
struct Change {
  std::vector<std::vector<std::string>> before = {};  // commands
  std::vector<TimerFile> files = {};
  std::vector<host::fs::path> removed = {};
  std::vector<std::vector<std::string>> after = {};  // commands

  bool empty() const { return before.empty() && files.empty() && removed.empty(); }
};

// Return the change that makes the scheduler run `command` daily, or no longer run the task. The
// arguments of `command` need no quotes (IsPlainWord). Pure, except that they read the crontab,
// whose other lines are kept.
Change PlanEnable(const Task& task, Scheduler scheduler, const std::vector<std::string>& command,
                  const host::Files& files);
Change PlanDisable(const Task& task, Scheduler scheduler, const host::Files& files);

// Carries out the change. Throws base::Error(kOther) with a command's output if one fails.
void Apply(const Change& change, host::Host& host);

// The present setup.
struct Status {
  bool enabled = false;
  std::chrono::sys_seconds since = {};  // the file that starts it was written; if enabled
  std::string command = {};             // that runs daily
  std::string next = {};                // systemd only; "" if unknown
  std::string problem = {};             // why it cannot run; "" without a known reason
};
Status StatusOf(const Task& task, Scheduler scheduler, host::Host& host);

// Returns whether a unit, a script of OpenRC and a crontab all read the word unchanged without
// quotes. `signs` are the allowed signs, separated by blanks.
inline constexpr std::string_view kPlainSigns = "/ . _ -";
bool IsPlainWord(std::string_view word, std::string_view signs = kPlainSigns);

}  // namespace timers
