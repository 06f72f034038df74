// SPDX-License-Identifier: Apache-2.0
#include "config_change/trial.h"

#include <fmt/core.h>

#include <algorithm>
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

std::string UnitText(const std::string& program) {
  return fmt::format(
      "# Made by: kubeadm config apply --try\n"
      "[Unit]\n"
      "Description=Take back a change of this node's configuration that nobody confirms\n"
      "After=network-online.target kubelet.service\n"
      "\n"
      "[Service]\n"
      "ExecStart={} config keep\n"
      "Restart=on-failure\n"
      "RestartSec=5\n"
      "\n"
      "[Install]\n"
      "WantedBy=multi-user.target\n",
      program);
}

std::string ScriptText(const std::string& program) {
  return fmt::format(
      "#!/sbin/openrc-run\n"
      "# Made by: kubeadm config apply --try\n"
      "description=\"Take back a change of this node's configuration that nobody confirms\"\n"
      "command=\"{}\"\n"
      "command_args=\"config keep\"\n"
      "command_background=true\n"
      "pidfile=\"/run/${{RC_SVCNAME}}.pid\"\n"
      "\n"
      "depend() {{\n"
      "  after net kubelet\n"
      "}}\n",
      program);
}

// Manager is how a service manager is told of the service.
struct Manager {
  std::string_view name;
  const char* file;
  unsigned mode;
  std::string (*text)(const std::string& program);
  std::vector<std::vector<std::string>> start;
  std::vector<std::string> stop;
  std::vector<std::vector<std::string>> forget;  // the file is gone by then
};

const std::vector<Manager>& Managers() {
  static const std::vector<Manager> managers = {
      {.name = "systemd",
       .file = kUnit,
       .mode = 0644,
       .text = UnitText,
       .start = {{"systemctl", "daemon-reload"},
                 {"systemctl", "enable", "--now", std::string(kName) + ".service"}},
       .stop = {"systemctl", "stop", std::string(kName) + ".service"},
       .forget = {{"systemctl", "disable", std::string(kName) + ".service"},
                  {"systemctl", "daemon-reload"}}},
      {.name = "openrc",
       .file = kScript,
       .mode = 0755,
       .text = ScriptText,
       .start = {{"rc-update", "add", kName, "default"}, {"rc-service", kName, "start"}},
       .stop = {"rc-service", kName, "stop"},
       .forget = {{"rc-update", "del", kName, "default"}}}};
  return managers;
}

bool Succeeds(const std::vector<std::string>& argv, host::Host& host) {
  return host.processes.Run(argv).Succeeded();
}

// Not stopped: it may be who asks. It ends by itself.
void Forget(const Manager& manager, host::Host& host) {
  host.files.Remove(manager.file);
  for (const std::vector<std::string>& command : manager.forget) {
    host.processes.Run(command);
  }
}

bool StartService(const std::string& program, host::Host& host) {
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
  Forget(*manager, host);
  return false;
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

void RequireNoOther(const host::Files& files) {
  const std::optional<Change> last = LoadChange(files);
  if (last && last->state == Change::State::kApplying) {
    throw Error(
        "a change of this node's configuration was cut off: take it back by 'kubeadm config "
        "undo' first");
  }
  if (last && last->state == Change::State::kTrying) {
    throw Error(
        "a change is being tried on this node: 'kubeadm config confirm' keeps it, 'kubeadm "
        "config undo' takes it back");
  }
}

Keeper StartKeeper(host::Host& host) {
  const std::string program = renewal::ScheduledProgram(host);
  if (StartService(program, host)) {
    return Keeper::kService;
  }
  const host::RunResult result = host.processes.Run(
      {"sh", "-c",
       "exec setsid -f \"$0\" config keep </dev/null >>/var/log/kubeadm-config-keep.log 2>&1",
       program});
  if (!result.Succeeded()) {
    throw Error("nothing was changed: what would take the change back cannot be started: " +
                std::string(base::Trim(result.Combined())));
  }
  return Keeper::kProcess;
}

void StopKeeper(host::Host& host) {
  for (const Manager& manager : Managers()) {
    if (host.files.Exists(manager.file)) {
      Forget(manager, host);
    }
  }
}

void Confirm(host::Host& host) {
  std::optional<Change> change = LoadChange(host.files);
  if (IsDone(change)) {
    StopKeeper(host);  // a confirmation that was killed after its first step has left it
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
  return files.Exists(host::fs::path(kChangeFile)) || files.Exists(host::fs::path(kPodsFile)) ||
         std::ranges::any_of(Managers(),
                             [&](const Manager& manager) { return files.Exists(manager.file); });
}

void ForgetTrial(host::Host& host) {
  for (const Manager& manager : Managers()) {
    if (host.files.Exists(manager.file)) {
      host.processes.Run(manager.stop);
      Forget(manager, host);
    }
  }
  RemoveChange(host.files);
}

}  // namespace config_change
