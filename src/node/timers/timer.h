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

// A kind of daily run. The strings are literals. The names and marks are already stored on users'
// machines, so they must never change.
struct Task {
  std::string_view name;     // of systemd's units and of cron's file: "kubeadm-certs-renew"
  std::string_view group;    // of the commands enable and disable: "kubeadm certs auto-renew"
  std::string_view log;      // its name in the system's log, when cron starts it
  std::string_view kind;     // of the objects for programs: "AutoRenewal"
  std::string_view purpose;  // after "Description=": "Renew the certificates of this node"
  std::string_view happens;  // describes a machine with the timer: "Certificates are renewed"
  std::string_view
      lacks;  // describes a machine without it: "Certificates are not renewed by a timer"
  std::string_view elsewhere;  // the command for another scheduler, once a day
};

// The program that starts the daily run.
enum class Scheduler { kSystemd, kCronDirectory, kCrontab };

// Returns systemd if it manages the services of this host. Otherwise returns cron: by root's table
// of busybox's cron (/etc/crontabs/root) if that exists, else by the directory /etc/cron.d if that
// exists. Returns std::nullopt if the host has none of these.
std::optional<Scheduler> DetectScheduler(host::Host& host);

// Returns the result of DetectScheduler. Throws base::Error(kNotFound), with the remedy, if the
// host has no scheduler.
Scheduler RequireScheduler(const Task& task, host::Host& host);

// Returns the path of the running kubeadm, for units, scripts and crontabs. Throws base::Error:
// kConflict if the program's file has been replaced or removed; kInvalid if units, scripts or
// crontabs would need quotes around the path; kForbidden if a user other than root could replace
// the program.
std::string ScheduledProgram(const host::Host& host);

// A file to write. The content of a crontab includes the user's lines, unchanged.
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

// PlanEnable returns the change that makes the scheduler run `command` daily, PlanDisable the
// change that stops these runs. The arguments of `command` must need no quotes (IsPlainWord). Both
// functions only read the crontab, whose other lines the change keeps; otherwise they are pure.
Change PlanEnable(const Task& task, Scheduler scheduler, const std::vector<std::string>& command,
                  const host::Files& files);
Change PlanDisable(const Task& task, Scheduler scheduler, const host::Files& files);

// Carries out the change. Throws base::Error(kOther) with a command's output if one fails.
void Apply(const Change& change, host::Host& host);

// The present setup.
struct Status {
  bool enabled = false;
  std::chrono::sys_seconds since = {};  // if enabled: when the timer's file was written
  std::string command = {};             // the command that runs daily
  std::string next = {};                // systemd only; "" if unknown
  std::string problem = {};             // why the command cannot run; "" without a known reason
};
Status StatusOf(const Task& task, Scheduler scheduler, host::Host& host);

// Returns whether units, OpenRC scripts and crontabs all read the word unchanged without quotes.
// `signs` are the allowed signs, separated by blanks.
inline constexpr std::string_view kPlainSigns = "/ . _ -";
bool IsPlainWord(std::string_view word, std::string_view signs = kPlainSigns);

}  // namespace timers
