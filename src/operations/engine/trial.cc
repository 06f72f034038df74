// SPDX-License-Identifier: Apache-2.0
#include "engine/trial.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/error.h"
#include "base/strings.h"
#include "host/init_system.h"
#include "timers/timer.h"

namespace engine {
namespace {

using base::Error;

constexpr std::chrono::milliseconds kPause{100};
constexpr std::chrono::minutes kStart{1};

std::string NameOf(const RollbackTimer& timer) {
  return fmt::format("kubeadm-{}-keep", timer.command);
}

std::string StatePath(const RollbackTimer& timer, std::string_view name) {
  return fmt::format("{}/{}-{}", workflow::kDirectory, timer.command, name);
}
// The file AlivePath contains the id of the operation whose timer runs.
std::string AlivePath(const RollbackTimer& timer) { return StatePath(timer, "keep"); }
std::string LogPath(const RollbackTimer& timer) { return StatePath(timer, "keep.log"); }
std::string NotePath(const RollbackTimer& timer) { return StatePath(timer, "taken-back"); }

// The command that a timer's service runs: PATH COMMAND keep --change=ID.
struct Program {
  std::string path;
  std::string command;  // RollbackTimer::command
  std::string id;       // of the operation
};

std::string UnitText(const Program& program) {
  return fmt::format(
      "# Made by: kubeadm {} --try\n"
      "[Unit]\n"
      "Description=Roll back a change of 'kubeadm {}' that is not confirmed\n"
      "After=network-online.target kubelet.service\n"
      "\n"
      "[Service]\n"
      "Type=exec\n"  // systemd reports a program that cannot be started as an error of the start
      "ExecStart={} {} keep --change={}\n"
      "Restart=on-failure\n"
      "RestartSec=5\n"
      "\n"
      "[Install]\n"
      "WantedBy=multi-user.target\n",
      program.command, program.command, program.path, program.command, program.id);
}

std::string ScriptText(const Program& program) {
  return fmt::format(
      "#!/sbin/openrc-run\n"
      "# Made by: kubeadm {} --try\n"
      "description=\"Roll back a change of 'kubeadm {}' that is not confirmed\"\n"
      "command=\"{}\"\n"
      "command_args=\"{} keep --change={}\"\n"
      "command_background=true\n"
      "pidfile=\"/run/${{RC_SVCNAME}}.pid\"\n"
      "\n"
      "depend() {{\n"
      "  after net kubelet\n"
      "}}\n",
      program.command, program.command, program.path, program.command, program.id);
}

using Command = std::vector<std::string>;

// The file that defines a timer's service for a service manager, and the commands that start, stop
// and remove this service.
struct Manager {
  std::string_view name;
  std::string file;
  unsigned mode;
  std::string (*text)(const Program& program);
  // Restarts the service: the timer of an operation that has just ended may still run under the
  // same name.
  std::vector<Command> start;
  Command stop;
  std::vector<Command> forget;  // run after the service's file is removed
};

std::array<Manager, 2> ManagersFor(const RollbackTimer& timer) {
  const std::string name = NameOf(timer);
  const std::string unit = name + ".service";
  return {Manager{.name = "systemd",
                  .file = "/etc/systemd/system/" + unit,
                  .mode = 0644,
                  .text = UnitText,
                  .start = {{"systemctl", "daemon-reload"},
                            {"systemctl", "enable", unit},
                            {"systemctl", "restart", unit}},
                  .stop = {"systemctl", "stop", unit},
                  .forget = {{"systemctl", "disable", unit}, {"systemctl", "daemon-reload"}}},
          Manager{.name = "openrc",
                  .file = "/etc/init.d/" + name,
                  .mode = 0755,
                  .text = ScriptText,
                  .start = {{"rc-update", "add", name, "default"}, {"rc-service", name, "restart"}},
                  .stop = {"rc-service", name, "stop"},
                  .forget = {{"rc-update", "del", name, "default"}}}};
}

// Removes the service without stopping it. The caller may be the service itself, which then ends by
// itself.
void Forget(const Manager& manager, host::Host& host) {
  host.files.Remove(manager.file);
  for (const Command& command : manager.forget) {
    host.processes.Run(command);
  }
}

bool StartService(const RollbackTimer& timer, const Program& program, host::Host& host) {
  const auto init_system = host::DetectInitSystem(host);
  const auto managers = ManagersFor(timer);
  const auto manager =
      std::ranges::find(managers, init_system ? init_system->Name() : "", &Manager::name);
  if (manager == managers.end()) {
    return false;
  }
  host.files.Write(manager->file, manager->text(program),
                   {.mode = manager->mode, .directory_mode = 0755});
  if (std::ranges::all_of(manager->start, [&](const Command& command) {
        return host.processes.Run(command).Succeeded();
      })) {
    return true;
  }
  // Removes the service that could not be started.
  host.processes.Run(manager->stop);
  Forget(*manager, host);
  return false;
}

void StartProcess(const RollbackTimer& timer, const Program& program, host::Host& host) {
  const host::RunResult result =
      host.processes.Run({"sh", "-c",
                          fmt::format("exec setsid -f \"$0\" {} keep \"$1\" </dev/null >>{} 2>&1",
                                      program.command, LogPath(timer)),
                          program.path, "--change=" + program.id});
  if (!result.Succeeded()) {
    throw Error("nothing was changed: the rollback timer cannot be started: " +
                std::string(base::Trim(result.Combined())));
  }
}

// Waits until the started timer has answered. Throws base::Error(kTimeout) after a minute without
// an answer, and base::Interrupted for an interrupt. A timer does not answer if its program has
// ended early, or if it has another file system and so cannot see the journal.
void RequireAlive(const RollbackTimer& timer, const std::string& id, TimerKind kind,
                  host::Host& host) {
  const std::stop_token stop = host.signals.Interrupt();
  const auto deadline = host.clock.Steady() + kStart;
  while (host.files.Find(AlivePath(timer)) != id) {
    if (host.clock.Steady() >= deadline) {
      throw Error(Error::Kind::kTimeout,
                  fmt::format("nothing was changed: the rollback timer was started, and has not "
                              "answered within a minute; {} has the reason",
                              kind == TimerKind::kService
                                  ? fmt::format("the log of the service {}", NameOf(timer))
                                  : LogPath(timer)));
    }
    if (!host.clock.Sleep(kPause, stop)) {
      throw base::Interrupted("nothing was changed: interrupted");
    }
  }
}

bool HasTimer(const RollbackTimer& timer, const host::Files& files) {
  return files.Exists(AlivePath(timer)) ||
         std::ranges::any_of(ManagersFor(timer),
                             [&](const Manager& manager) { return files.Exists(manager.file); });
}

bool IsUnconfirmed(const std::optional<Journal>& journal) {
  return journal && journal->state != State::kDone;
}

}  // namespace

bool IsOnTrial(const std::optional<Journal>& journal, const host::Clock& clock) {
  return journal && journal->state == State::kTrying &&
         clock.NowSeconds().time_since_epoch().count() < journal->until;
}

bool MayBeRolledBack(const RollbackTimer& timer, const host::Files& files) {
  return HasTimer(timer, files) && IsUnconfirmed(timer.load(files));
}

void RequireSettled(const RollbackTimer& timer, const host::Files& files) {
  const std::optional<Journal> journal = timer.load(files);
  if (!IsUnconfirmed(journal)) {
    return;
  }
  throw Error(
      Error::Kind::kConflict,
      journal->state == State::kTrying
          ? fmt::format("a change is on trial on this node: 'kubeadm {} confirm' keeps it, "
                        "'kubeadm {} undo' rolls it back",
                        timer.command, timer.command)
          : fmt::format("a change of this node by 'kubeadm {}' was interrupted: roll it back by "
                        "'kubeadm {} undo' first",
                        timer.command, timer.command));
}

TimerKind StartTimer(const RollbackTimer& timer, const std::string& id, host::Host& host) {
  const Program program{.path = base::WithContext("nothing was changed",
                                                  [&] { return timers::ScheduledProgram(host); }),
                        .command = timer.command,
                        .id = id};
  host.files.Remove(AlivePath(timer));
  const TimerKind kind =
      StartService(timer, program, host) ? TimerKind::kService : TimerKind::kProcess;
  if (kind == TimerKind::kProcess) {
    StartProcess(timer, program, host);
  }
  RequireAlive(timer, id, kind, host);
  return kind;
}

void ReportTimer(const RollbackTimer& timer, const std::string& id, host::Files& files) {
  if (LoadUnconfirmed(timer, id, files)) {
    files.Write(AlivePath(timer), id, {.mode = 0600});
  }
}

std::optional<Journal> LoadUnconfirmed(const RollbackTimer& timer, const std::string& id,
                                       const host::Files& files) {
  std::optional<Journal> journal = timer.load(files);
  return IsUnconfirmed(journal) && journal->id == id ? journal : std::nullopt;
}

void Confirm(const RollbackTimer& timer, host::Host& host) {
  std::optional<Journal> journal = timer.load(host.files);
  if (!IsUnconfirmed(journal)) {
    const bool was_interrupted = journal && HasTimer(timer, host.files);
    StopTimer(timer, host);
    // An interrupted confirmation has already stored its result.
    if (was_interrupted) {
      return;
    }
    throw Error(Error::Kind::kNotFound, "no change is on trial on this node");
  }
  if (journal->state != State::kTrying) {
    throw Error(
        Error::Kind::kConflict,
        fmt::format("the change is being rolled back, or was interrupted: 'kubeadm {} undo' "
                    "completes the rollback",
                    timer.command));
  }
  journal->state = State::kDone;
  SaveJournal(host.files, *journal);
  for (const std::string& file : timer.earlier_files) {
    host.files.Remove(file);
  }
  StopTimer(timer, host);
}

void StopTimer(const RollbackTimer& timer, host::Host& host) {
  for (const Manager& manager : ManagersFor(timer)) {
    if (host.files.Exists(manager.file)) {
      Forget(manager, host);
    }
  }
  host.files.Remove(AlivePath(timer));
}

void LeaveRollbackNote(const RollbackTimer& timer, host::Files& files) {
  files.Write(NotePath(timer), "", {.mode = 0600});
}

void RemoveRollbackNote(const RollbackTimer& timer, host::Files& files) {
  files.Remove(NotePath(timer));
}

bool HasRollbackNote(const RollbackTimer& timer, const host::Files& files) {
  return files.Exists(NotePath(timer));
}

bool HasTrial(const RollbackTimer& timer, const host::Files& files) {
  return files.Exists(JournalPath(timer.operation)) || HasRollbackNote(timer, files) ||
         std::ranges::any_of(timer.earlier_files,
                             [&](const std::string& file) { return files.Exists(file); }) ||
         HasTimer(timer, files);
}

void ForgetTrial(const RollbackTimer& timer, host::Host& host) {
  for (const Manager& manager : ManagersFor(timer)) {
    if (host.files.Exists(manager.file)) {
      host.processes.Run(manager.stop);
    }
  }
  StopTimer(timer, host);
  RemoveRollbackNote(timer, host.files);
  for (const std::string& file : timer.earlier_files) {
    host.files.Remove(file);
  }
  RemoveJournal(host.files, timer.operation);
}

}  // namespace engine
