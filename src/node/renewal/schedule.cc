// SPDX-License-Identifier: Apache-2.0
#include "renewal/schedule.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "host/init_system.h"

namespace renewal {
namespace {

constexpr std::string_view kService = "/etc/systemd/system/kubeadm-certs-renew.service";
constexpr std::string_view kTimer = "/etc/systemd/system/kubeadm-certs-renew.timer";
constexpr std::string_view kTimerName = "kubeadm-certs-renew.timer";
constexpr std::string_view kCronDirectory = "/etc/cron.d";
constexpr std::string_view kCronFile = "/etc/cron.d/kubeadm-certs-renew";
constexpr std::string_view kCrontab = "/etc/crontabs/root";
constexpr std::string_view kMark = "# kubeadm certs auto-renew";
// Debian's cron sets PATH to /usr/bin:/bin, which contains neither openrc nor rc-service.
constexpr std::string_view kPath =
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::string_view kPathSigns = "/ . _ + -";  // a version may have a +
constexpr std::string_view kLogger = " 2>&1 | logger -t kubeadm-certs";

std::string ServiceText(const ScheduleOptions& options) {
  return fmt::format(
      "# Made by: kubeadm certs auto-renew enable\n"
      "[Unit]\n"
      "Description=Renew the certificates of this Kubernetes control-plane node\n"
      "After=network-online.target kubelet.service\n"
      "\n"
      "[Service]\n"
      "Type=oneshot\n"
      "ExecStart={}\n",
      base::Join(DailyCommand(options), " "));
}

// Spreads the nodes: each picks its own moment within six hours.
constexpr std::string_view kTimerText =
    "# Made by: kubeadm certs auto-renew enable\n"
    "[Unit]\n"
    "Description=Renew the certificates of this Kubernetes control-plane node daily\n"
    "\n"
    "[Timer]\n"
    "OnCalendar=daily\n"
    "RandomizedDelaySec=6h\n"
    "FixedRandomDelay=true\n"
    "Persistent=true\n"
    "\n"
    "[Install]\n"
    "WantedBy=timers.target\n";

// Cron has no random delay: the minute follows from the machine's name.
std::string CronTime(const host::Files& files) {
  unsigned sum = 0;
  for (const char c : files.Find("/etc/hostname").value_or("")) {
    sum = sum * 31 + static_cast<unsigned char>(c);
  }
  return fmt::format("{} {} * * *", sum % 60, sum / 60 % 6);
}

// Returns the lines of a crontab that are not ours.
std::string WithoutOurs(const std::string& crontab) {
  std::vector<std::string> lines = base::Split(crontab, '\n');
  if (lines.back().empty()) {
    lines.pop_back();
  }
  std::string kept;
  for (const std::string& line : lines) {
    if (line.find(kMark) == std::string::npos) {
      kept += line + "\n";
    }
  }
  return kept;
}

std::string OurLine(const std::string& text) {
  for (const std::string& line : base::Split(text, '\n')) {
    if (line.find(kMark) != std::string::npos) {
      return line;
    }
  }
  return "";
}

// Returns the command between the time (and user, and PATH) and the pipe to the log.
std::string CommandIn(const std::string& line) {
  const auto path = line.find(kPath);
  const auto begin = line.find('/', path == std::string::npos ? 0 : path + kPath.size());
  const auto end = line.find(kLogger);
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

ScheduleStatus SystemdStatus(host::Host& host) {
  ScheduleStatus status;
  const auto ask = [&](const std::vector<std::string>& argv) {
    return host.processes.Run(argv, {.effect = host::Effect::kAsks});
  };
  status.enabled = ask({"systemctl", "is-enabled", std::string(kTimerName)}).Succeeded() &&
                   ask({"systemctl", "is-active", std::string(kTimerName)}).Succeeded();
  if (status.enabled) {
    status.command = ExecStartIn(host.files.Find(kService).value_or(""));
    const auto next = ask({"systemctl", "show", "--property=NextElapseUSecRealtime", "--value",
                           std::string(kTimerName)});
    status.next = next.Succeeded() ? std::string(base::Trim(next.out)) : "";
  }
  return status;
}

// Throws base::Error(kForbidden) if a user other than root could replace this program, which a
// service would start as root.
void RequireRootsProgram(const std::string& program, const host::Files& files) {
  const auto root = files.Stat("/");  // in a user namespace of another number
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

Scheduler RequireScheduler(host::Host& host) {
  const auto scheduler = DetectScheduler(host);
  if (!scheduler) {
    throw base::Error(base::Error::Kind::kNotFound,
                      "neither systemd nor cron was found on this machine; have your own scheduler "
                      "run this once a day: kubeadm certs renew all --if-expires-within 30d "
                      "--restart");
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

std::vector<std::string> DailyCommand(const ScheduleOptions& options) {
  std::vector<std::string> command = {options.program,
                                      "certs",
                                      "auto-renew",
                                      "run",
                                      "--if-expires-within=" + options.within,
                                      fmt::format("--restart={}", options.restart)};
  if (!options.textfile.empty()) {
    command.push_back("--textfile=" + options.textfile);
  }
  return command;
}

Schedule PlanEnable(Scheduler scheduler, const ScheduleOptions& options, const host::Files& files) {
  const std::string command = base::Join(DailyCommand(options), " ");
  const std::string time = CronTime(files);
  switch (scheduler) {
    case Scheduler::kSystemd:
      return {.files = {{kService, ServiceText(options)}, {kTimer, std::string(kTimerText)}},
              .after = {{"systemctl", "daemon-reload"},
                        {"systemctl", "enable", "--now", std::string(kTimerName)}}};
    case Scheduler::kCronDirectory:
      return {.files = {{kCronFile, fmt::format("{}\n{} root {}{} {}\n", kPath, time, command,
                                                kLogger, kMark)}}};
    case Scheduler::kCrontab:
      break;
  }
  // A PATH line of its own would also apply to the user's lines below it.
  return {.files = {{kCrontab, fmt::format("{}{} env {} {}{} {}\n",
                                           WithoutOurs(files.Find(kCrontab).value_or("")), time,
                                           kPath, command, kLogger, kMark)}}};
}

Schedule PlanDisable(Scheduler scheduler, const host::Files& files) {
  switch (scheduler) {
    case Scheduler::kSystemd:
      if (!files.Exists(kTimer)) {
        return {};
      }
      return {.before = {{"systemctl", "disable", "--now", std::string(kTimerName)}},
              .removed = {kTimer, kService},
              .after = {{"systemctl", "daemon-reload"}}};
    case Scheduler::kCronDirectory:
      return files.Exists(kCronFile) ? Schedule{.removed = {kCronFile}} : Schedule{};
    case Scheduler::kCrontab:
      break;
  }
  const std::string crontab = files.Find(kCrontab).value_or("");
  return OurLine(crontab).empty() ? Schedule{}
                                  : Schedule{.files = {{kCrontab, WithoutOurs(crontab)}}};
}

void Apply(const Schedule& schedule, host::Host& host) {
  RunAll(schedule.before, host);
  for (const ScheduleFile& file : schedule.files) {
    host.files.Write(file.path, file.content, {.mode = 0644});
  }
  for (const host::fs::path& path : schedule.removed) {
    host.files.Remove(path);
  }
  RunAll(schedule.after, host);
}

ScheduleStatus StatusOf(Scheduler scheduler, host::Host& host) {
  ScheduleStatus status;
  if (scheduler == Scheduler::kSystemd) {
    status = SystemdStatus(host);
  } else {
    const std::string_view path = scheduler == Scheduler::kCrontab ? kCrontab : kCronFile;
    const std::string line = OurLine(host.files.Find(path).value_or(""));
    status = {.enabled = !line.empty(), .command = CommandIn(line)};
  }
  const std::string program = status.command.substr(0, status.command.find(' '));
  if (!program.empty() && !host.files.Exists(program)) {
    status.problem = fmt::format("there is no program {}", base::Quoted(program));
  }
  return status;
}

}  // namespace renewal
