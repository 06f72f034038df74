// SPDX-License-Identifier: Apache-2.0
#include "config_change/trial.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "host/init_system.h"
#include "renewal/schedule.h"

namespace config_change {
namespace {

using base::Error;

constexpr const char* kName = "kubeadm-config-keep";
constexpr const char* kUnit = "/etc/systemd/system/kubeadm-config-keep.service";
constexpr const char* kScript = "/etc/init.d/kubeadm-config-keep";

// kAliveFile contains the id of the change whose keeper runs.
constexpr std::string_view kAliveFile = "/var/lib/slipway/config-keep";
constexpr const char* kLog = "/var/lib/slipway/config-keep.log";
constexpr std::chrono::milliseconds kPause{100};
constexpr std::chrono::minutes kStart{1};

// The program that runs as the keeper of a change.
struct Program {
  std::string path;
  std::string change;
};

std::string UnitText(const Program& program) {
  return fmt::format(
      "# Made by: kubeadm config apply --try\n"
      "[Unit]\n"
      "Description=Take back a change of this node's configuration that nobody confirms\n"
      "After=network-online.target kubelet.service\n"
      "\n"
      "[Service]\n"
      "Type=exec\n"  // a program that cannot be started is an error of the start
      "ExecStart={} config keep --change={}\n"
      "Restart=on-failure\n"
      "RestartSec=5\n"
      "\n"
      "[Install]\n"
      "WantedBy=multi-user.target\n",
      program.path, program.change);
}

std::string ScriptText(const Program& program) {
  return fmt::format(
      "#!/sbin/openrc-run\n"
      "# Made by: kubeadm config apply --try\n"
      "description=\"Take back a change of this node's configuration that nobody confirms\"\n"
      "command=\"{}\"\n"
      "command_args=\"config keep --change={}\"\n"
      "command_background=true\n"
      "pidfile=\"/run/${{RC_SVCNAME}}.pid\"\n"
      "\n"
      "depend() {{\n"
      "  after net kubelet\n"
      "}}\n",
      program.path, program.change);
}

// The commands of a service manager for the service.
struct Manager {
  std::string_view name;
  const char* file;
  unsigned mode;
  std::string (*text)(const Program& program);
  // Restarts: the keeper of a change that has just ended may still run under the same name.
  std::vector<std::vector<std::string>> start;
  std::vector<std::string> stop;
  std::vector<std::vector<std::string>> forget;  // the file has been removed by then
};

const std::vector<Manager>& Managers() {
  static const std::vector<Manager> managers = {
      {.name = "systemd",
       .file = kUnit,
       .mode = 0644,
       .text = UnitText,
       .start = {{"systemctl", "daemon-reload"},
                 {"systemctl", "enable", std::string(kName) + ".service"},
                 {"systemctl", "restart", std::string(kName) + ".service"}},
       .stop = {"systemctl", "stop", std::string(kName) + ".service"},
       .forget = {{"systemctl", "disable", std::string(kName) + ".service"},
                  {"systemctl", "daemon-reload"}}},
      {.name = "openrc",
       .file = kScript,
       .mode = 0755,
       .text = ScriptText,
       .start = {{"rc-update", "add", kName, "default"}, {"rc-service", kName, "restart"}},
       .stop = {"rc-service", kName, "stop"},
       .forget = {{"rc-update", "del", kName, "default"}}}};
  return managers;
}

bool Succeeds(const std::vector<std::string>& argv, host::Host& host) {
  return host.processes.Run(argv).Succeeded();
}

// Not stopped: the caller may be the service itself. It ends by itself.
void Forget(const Manager& manager, host::Host& host) {
  host.files.Remove(manager.file);
  for (const std::vector<std::string>& command : manager.forget) {
    host.processes.Run(command);
  }
}

bool StartService(const Program& program, host::Host& host) {
  const auto init_system = host::DetectInitSystem(host);
  const std::string_view name = init_system ? init_system->Name() : "";
  const auto manager = std::ranges::find(Managers(), name, &Manager::name);
  if (manager == Managers().end()) {
    return false;
  }
  host.files.Write(manager->file, manager->text(program),
                   {.mode = manager->mode, .directory_mode = 0755});
  if (std::ranges::all_of(manager->start,
                          [&](const auto& command) { return Succeeds(command, host); })) {
    return true;
  }
  host.processes.Run(manager->stop);  // systemd refuses to start a service that fails repeatedly
  Forget(*manager, host);
  return false;
}

void StartProcess(const Program& program, host::Host& host) {
  const host::RunResult result = host.processes.Run(
      {"sh", "-c",
       fmt::format("exec setsid -f \"$0\" config keep \"$1\" </dev/null >>{} 2>&1", kLog),
       program.path, "--change=" + program.change});
  if (!result.Succeeded()) {
    throw Error("nothing was changed: what would take the change back cannot be started: " +
                std::string(base::Trim(result.Combined())));
  }
}

// It may have been started without running: another file system hides its journal, or the program
// ends at once.
void RequireAlive(const std::string& change, Keeper keeper, host::Host& host) {
  const std::stop_token stop = host.signals.Interrupt();
  const auto deadline = host.clock.Steady() + kStart;
  while (host.files.Find(kAliveFile) != change) {
    if (host.clock.Steady() >= deadline) {
      throw Error(
          Error::Kind::kTimeout,
          fmt::format("nothing was changed: what would take the change back was started, "
                      "and has not answered within a minute; {} says why",
                      keeper == Keeper::kService ? fmt::format("the log of the service {}", kName)
                                                 : std::string(kLog)));
    }
    if (!host.clock.Sleep(kPause, stop)) {
      throw base::Interrupted("nothing was changed: interrupted");
    }
  }
}

bool HasKeeper(const host::Files& files) {
  return files.Exists(kAliveFile) || std::ranges::any_of(Managers(), [&](const Manager& manager) {
           return files.Exists(manager.file);
         });
}

}  // namespace

bool IsDone(const std::optional<Change>& change) {
  return !change || change->state == Change::State::kKept;
}

bool IsOnTrial(const std::optional<Change>& change, const host::Clock& clock) {
  return change && change->state == Change::State::kTrying && change->until &&
         clock.Now() < *change->until;
}

bool WasCutOff(const host::Files& files) {
  const std::optional<Change> last = LoadChange(files);
  return last && last->state == Change::State::kApplying;
}

bool MayBeTakenBack(const host::Files& files) {
  return !IsDone(LoadChange(files)) && HasKeeper(files);
}

void NoteTakenBack(host::Files& files) { files.Write(kTakenBackFile, "", {.mode = 0600}); }

bool TellsOfTakingBack(host::Files& files) { return files.Remove(kTakenBackFile); }

void RequireNoneCutOff(const host::Files& files) {
  if (WasCutOff(files)) {
    throw Error(
        "a change of this node's configuration was cut off: take it back by 'kubeadm config "
        "undo' first");
  }
}

void RequireNoOther(const host::Files& files) {
  RequireNoneCutOff(files);
  const std::optional<Change> last = LoadChange(files);
  if (last && last->state == Change::State::kTrying) {
    throw Error(
        "a change is being tried on this node: 'kubeadm config confirm' keeps it, 'kubeadm "
        "config undo' takes it back");
  }
}

Keeper StartKeeper(const std::string& change, host::Host& host) {
  const Program program{.path = base::WithContext("nothing was changed",
                                                  [&] { return renewal::ScheduledProgram(host); }),
                        .change = change};
  host.files.Remove(kAliveFile);
  const Keeper keeper = StartService(program, host) ? Keeper::kService : Keeper::kProcess;
  if (keeper == Keeper::kProcess) {
    StartProcess(program, host);
  }
  RequireAlive(change, keeper, host);
  return keeper;
}

std::optional<Change> LoadTried(const std::string& change, const host::Files& files) {
  std::optional<Change> last = LoadChange(files);
  return last && last->id == change && !IsDone(last) ? last : std::nullopt;
}

void ReportAlive(const std::string& change, host::Files& files) {
  if (LoadTried(change, files)) {
    files.Write(kAliveFile, change, {.mode = 0600});
  }
}

void StopKeeper(host::Host& host) {
  for (const Manager& manager : Managers()) {
    if (host.files.Exists(manager.file)) {
      Forget(manager, host);
    }
  }
  host.files.Remove(kAliveFile);
}

void Confirm(host::Host& host) {
  std::optional<Change> change = LoadChange(host.files);
  if (IsDone(change)) {
    const bool was_cut_off = change && HasKeeper(host.files);
    StopKeeper(host);
    if (was_cut_off) {  // a confirmation, after its first step
      return;
    }
    throw Error(Error::Kind::kNotFound, "no change is being tried on this node");
  }
  if (change->state != Change::State::kTrying) {
    throw Error(Error::Kind::kConflict,
                "the change is being taken back, or was cut off: 'kubeadm config undo' takes it "
                "back to the end");
  }
  change->state = Change::State::kKept;
  SaveChange(host.files, *change);
  StopKeeper(host);
}

bool HasTrial(const host::Files& files) {
  return files.Exists(kChangeFile) || files.Exists(kPodsFile) || files.Exists(kTakenBackFile) ||
         HasKeeper(files);
}

void ForgetTrial(host::Host& host) {
  for (const Manager& manager : Managers()) {
    if (host.files.Exists(manager.file)) {
      host.processes.Run(manager.stop);
      Forget(manager, host);
    }
  }
  host.files.Remove(kAliveFile);
  RemoveChange(host.files);
}

}  // namespace config_change
