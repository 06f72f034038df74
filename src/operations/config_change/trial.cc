// SPDX-License-Identifier: Apache-2.0
#include "config_change/trial.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "host/init_system.h"
#include "renewal/schedule.h"

namespace config_change {
namespace {

using base::Error;

constexpr const char* kUnit = "/etc/systemd/system/kubeadm-config-keep.service";
constexpr const char* kUnitName = "kubeadm-config-keep.service";

std::string UnitText(const std::string& program) {
  return fmt::format(
      "# Made by: kubeadm config apply --try\n"
      "[Unit]\n"
      "Description=Take back a change of this node's configuration that nobody confirms\n"
      "After=network-online.target kubelet.service\n"
      "\n"
      "[Service]\n"
      "ExecStart={} config keep\n"
      "\n"
      "[Install]\n"
      "WantedBy=multi-user.target\n",
      program);
}

bool Succeeds(const std::vector<std::string>& argv, host::Host& host) {
  return host.processes.Run(argv).Succeeded();
}

bool StartService(const std::string& program, host::Host& host) {
  const auto init_system = host::DetectInitSystem(host);
  if (!init_system || init_system->Name() != "systemd") {
    return false;
  }
  host.files.Write(kUnit, UnitText(program), {.mode = 0644, .directory_mode = 0755});
  if (Succeeds({"systemctl", "daemon-reload"}, host) &&
      Succeeds({"systemctl", "enable", "--now", kUnitName}, host)) {
    return true;
  }
  host.files.Remove(kUnit);
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

void StartKeeper(host::Host& host) {
  const std::string program = renewal::ScheduledProgram(host);
  if (StartService(program, host)) {
    return;
  }
  const host::RunResult result = host.processes.Run(
      {"sh", "-c",
       "exec setsid -f \"$0\" config keep </dev/null >>/var/log/kubeadm-config-keep.log 2>&1",
       program});
  if (!result.Succeeded()) {
    throw Error("nothing was changed: what would take the change back cannot be started: " +
                std::string(base::Trim(result.Combined())));
  }
}

void StopKeeper(host::Host& host) {
  if (host.files.Exists(kUnit)) {
    host.files.Remove(kUnit);
    // Not stopped: it may be who asks. It ends by itself.
    host.processes.Run({"systemctl", "disable", kUnitName});
    host.processes.Run({"systemctl", "daemon-reload"});
  }
}

}  // namespace config_change
