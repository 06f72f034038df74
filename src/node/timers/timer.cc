// SPDX-License-Identifier: Apache-2.0
#include "timers/timer.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "host/init_system.h"

namespace timers {
namespace {

constexpr std::string_view kUnits = "/etc/systemd/system";
constexpr std::string_view kCronDirectory = "/etc/cron.d";
constexpr std::string_view kCrontab = "/etc/crontabs/root";
// Debian's cron sets PATH to /usr/bin:/bin, which contains neither openrc nor rc-service.
constexpr std::string_view kPath =
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::string_view kPathSigns = "/ . _ + -";  // a version may have a +

std::string TimerName(const Task& task) { return fmt::format("{}.timer", task.name); }
host::fs::path ServicePath(const Task& task) {
  return fmt::format("{}/{}.service", kUnits, task.name);
}
host::fs::path TimerPath(const Task& task) { return fmt::format("{}/{}", kUnits, TimerName(task)); }
host::fs::path CronPath(const Task& task) {
  return fmt::format("{}/{}", kCronDirectory, task.name);
}

// The end of the task's line in a crontab, by which it is found again.
std::string MarkOf(const Task& task) { return fmt::format("# {}", task.group); }
std::string LoggerOf(const Task& task) { return fmt::format(" 2>&1 | logger -t {}", task.log); }

std::string ServiceText(const Task& task, std::string_view command) {
  return fmt::format(
      "# Made by: {} enable\n"
      "[Unit]\n"
      "Description={}\n"
      "After=network-online.target kubelet.service\n"
      "\n"
      "[Service]\n"
      "Type=oneshot\n"
      "ExecStart={}\n",
      task.group, task.purpose, command);
}

// Spreads the load: each node runs the task at its own time within six hours.
std::string TimerText(const Task& task) {
  return fmt::format(
      "# Made by: {} enable\n"
      "[Unit]\n"
      "Description={} daily\n"
      "\n"
      "[Timer]\n"
      "OnCalendar=daily\n"
      "RandomizedDelaySec=6h\n"
      "FixedRandomDelay=true\n"
      "Persistent=true\n"
      "\n"
      "[Install]\n"
      "WantedBy=timers.target\n",
      task.group, task.purpose);
}

// Cron has no random delay, so the minute and the hour (0 to 5) are derived from the machine's
// name.
std::string CronTime(const host::Files& files) {
  unsigned sum = 0;
  for (const char c : files.Find("/etc/hostname").value_or("")) {
    sum = sum * 31 + static_cast<unsigned char>(c);
  }
  return fmt::format("{} {} * * *", sum % 60, sum / 60 % 6);
}

// Returns the lines of a crontab that are not the task's.
std::string WithoutOurs(const Task& task, const std::string& crontab) {
  const std::string mark = MarkOf(task);
  std::vector<std::string> lines = base::Split(crontab, '\n');
  if (lines.back().empty()) {
    lines.pop_back();
  }
  std::string kept;
  for (const std::string& line : lines) {
    if (line.find(mark) == std::string::npos) {
      kept += line + "\n";
    }
  }
  return kept;
}

std::string OurLine(const Task& task, const std::string& text) {
  const std::string mark = MarkOf(task);
  for (const std::string& line : base::Split(text, '\n')) {
    if (line.find(mark) != std::string::npos) {
      return line;
    }
  }
  return "";
}

// Returns the command between the time (and user, and PATH) and the pipe to the log.
std::string CommandIn(const Task& task, const std::string& line) {
  const auto path = line.find(kPath);
  const auto begin = line.find('/', path == std::string::npos ? 0 : path + kPath.size());
  const auto end = line.find(LoggerOf(task));
  return begin < end && end != std::string::npos ? line.substr(begin, end - begin) : "";
}

std::string ExecStartIn(const std::string& unit) {
  constexpr std::string_view kKey = "ExecStart=";
  for (const std::string& line : base::Split(unit, '\n')) {
    if (line.starts_with(kKey)) {
      return line.substr(kKey.size());
    }
  }
  return "";
}

void RunAll(const std::vector<std::vector<std::string>>& commands, host::Host& host) {
  for (const std::vector<std::string>& command : commands) {
    const host::RunResult result = host.processes.Run(command);
    if (!result.Succeeded()) {
      throw base::Error(fmt::format("\"{}\" failed: {}", base::Join(command, " "),
                                    base::Trim(result.Combined())));
    }
  }
}

Status SystemdStatus(const Task& task, host::Host& host) {
  Status status;
  const std::string timer = TimerName(task);
  const auto ask = [&](const std::vector<std::string>& argv) {
    return host.processes.Run(argv, {.effect = host::Effect::kAsks});
  };
  status.enabled = ask({"systemctl", "is-enabled", timer}).Succeeded() &&
                   ask({"systemctl", "is-active", timer}).Succeeded();
  if (status.enabled) {
    status.command = ExecStartIn(host.files.Find(ServicePath(task)).value_or(""));
    const auto next =
        ask({"systemctl", "show", "--property=NextElapseUSecRealtime", "--value", timer});
    status.next = next.Succeeded() ? std::string(base::Trim(next.out)) : "";
  }
  return status;
}

// Throws base::Error(kForbidden) if a user other than root could replace this program. Otherwise
// that user could run any program as root through the timer.
void RequireRootsProgram(const std::string& program, const host::Files& files) {
  const auto root = files.Stat("/");  // in a user namespace, root's files may have another uid
  for (host::fs::path part = program; part.has_relative_path(); part = part.parent_path()) {
    const auto info = files.Stat(part);
    const bool is_roots = !info || info->uid == 0 || (root && info->uid == root->uid);
    const bool is_open = info && (info->mode & S_IWOTH) != 0U && (info->mode & S_ISVTX) == 0U;
    if (!is_roots || is_open) {
      throw base::Error(
          base::Error::Kind::kForbidden,
          fmt::format("root must not start the program {} by itself: {} may be changed by {}. "
                      "Install kubeadm where only root can write, such as /usr/local/bin",
                      base::Quoted(program), base::Quoted(part.string()),
                      is_roots ? "every user" : fmt::format("user number {}", info->uid)));
    }
  }
}

}  // namespace

std::optional<Scheduler> DetectScheduler(host::Host& host) {
  const auto init_system = host::DetectInitSystem(host);
  if (init_system && init_system->Name() == "systemd") {
    return Scheduler::kSystemd;
  }
  if (host.files.Exists(kCrontab)) {
    return Scheduler::kCrontab;
  }
  if (host.files.Exists(kCronDirectory)) {
    return Scheduler::kCronDirectory;
  }
  return std::nullopt;
}

Scheduler RequireScheduler(const Task& task, host::Host& host) {
  const auto scheduler = DetectScheduler(host);
  if (!scheduler) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("neither systemd nor cron was found on this machine; have your "
                                  "own scheduler run this once a day: {}",
                                  task.elsewhere));
  }
  return *scheduler;
}

std::string ScheduledProgram(const host::Host& host) {
  std::string program = host.processes.OwnProgram();
  RequireRootsProgram(program, host.files);
  if (!IsPlainWord(program, kPathSigns)) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("a service cannot start the program {}: only letters, digits and "
                                  "{} are possible in its path. Run kubeadm from another path",
                                  base::Quoted(program), kPathSigns));
  }
  return program;
}

bool IsPlainWord(std::string_view word, std::string_view signs) {
  return std::ranges::all_of(word, [signs](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c != ' ' && signs.contains(c));
  });
}

Change PlanEnable(const Task& task, Scheduler scheduler, const std::vector<std::string>& command,
                  const host::Files& files) {
  const std::string line = base::Join(command, " ");
  const std::string time = CronTime(files);
  switch (scheduler) {
    case Scheduler::kSystemd:
      return {.files = {{ServicePath(task), ServiceText(task, line)},
                        {TimerPath(task), TimerText(task)}},
              .after = {{"systemctl", "daemon-reload"},
                        {"systemctl", "enable", "--now", TimerName(task)}}};
    case Scheduler::kCronDirectory:
      return {.files = {{CronPath(task), fmt::format("{}\n{} root {}{} {}\n", kPath, time, line,
                                                     LoggerOf(task), MarkOf(task))}}};
    case Scheduler::kCrontab:
      break;
  }
  // A separate PATH line would also apply to the user's lines below it.
  return {.files = {{kCrontab, fmt::format("{}{} env {} {}{} {}\n",
                                           WithoutOurs(task, files.Find(kCrontab).value_or("")),
                                           time, kPath, line, LoggerOf(task), MarkOf(task))}}};
}

Change PlanDisable(const Task& task, Scheduler scheduler, const host::Files& files) {
  switch (scheduler) {
    case Scheduler::kSystemd:
      if (!files.Exists(TimerPath(task))) {
        return {};
      }
      return {.before = {{"systemctl", "disable", "--now", TimerName(task)}},
              .removed = {TimerPath(task), ServicePath(task)},
              .after = {{"systemctl", "daemon-reload"}}};
    case Scheduler::kCronDirectory:
      return files.Exists(CronPath(task)) ? Change{.removed = {CronPath(task)}} : Change{};
    case Scheduler::kCrontab:
      break;
  }
  const std::string crontab = files.Find(kCrontab).value_or("");
  return OurLine(task, crontab).empty() ? Change{}
                                        : Change{.files = {{kCrontab, WithoutOurs(task, crontab)}}};
}

void Apply(const Change& change, host::Host& host) {
  RunAll(change.before, host);
  for (const TimerFile& file : change.files) {
    host.files.Write(file.path, file.content, {.mode = 0644});
  }
  for (const host::fs::path& path : change.removed) {
    host.files.Remove(path);
  }
  RunAll(change.after, host);
}

Status StatusOf(const Task& task, Scheduler scheduler, host::Host& host) {
  Status status;
  host::fs::path path = TimerPath(task);
  if (scheduler == Scheduler::kSystemd) {
    status = SystemdStatus(task, host);
  } else {
    path = scheduler == Scheduler::kCrontab ? kCrontab : CronPath(task);
    const std::string line = OurLine(task, host.files.Find(path).value_or(""));
    status = {.enabled = !line.empty(), .command = CommandIn(task, line)};
  }
  if (const auto info = host.files.Stat(path); info && status.enabled) {
    status.since = std::chrono::floor<std::chrono::seconds>(info->modified);
  }
  const std::string program = status.command.substr(0, status.command.find(' '));
  if (!program.empty() && !host.files.Exists(program)) {
    status.problem = fmt::format("there is no program {}", base::Quoted(program));
  }
  return status;
}

}  // namespace timers
