// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/config/keeper.h"

#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

#include "base/error.h"
#include "base/strings.h"
#include "config_change/record.h"
#include "host/init_system.h"
#include "kubeadm/config/undo.h"
#include "kubeadm/config_look.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "renewal/schedule.h"

namespace kubeadm {
namespace {

using base::Error;
using config_change::Change;
using std::chrono::seconds;

constexpr const char* kUnit = "/etc/systemd/system/kubeadm-config-keep.service";
constexpr const char* kUnitName = "kubeadm-config-keep.service";
constexpr seconds kLook{1};
// The API server may need a while after a boot.
constexpr seconds kNextTry{5};
constexpr int kTries = 120;

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

bool IsDone(const std::optional<Change>& change) {
  return !change || change->state == Change::State::kKept;
}

bool IsUnderTrial(const std::optional<Change>& change, const host::Clock& clock) {
  return change && change->state == Change::State::kTrying && change->until &&
         clock.Now() < *change->until;
}

// TakeBackUnlessKept waits for who is applying. A change that is not applied to its end although
// nobody holds the lock was cut off. False: its trial has only begun.
bool TakeBackUnlessKept(cli::Invocation& invocation, host::Host& host) {
  const NodeLock lock = LockNode(invocation, host, {.say = [&](const std::string& line) {
                                   invocation.streams.err << line << std::endl;
                                 }});
  const std::optional<Change> change = config_change::LoadChange(host.files);
  if (IsUnderTrial(change, host.clock)) {
    return false;
  }
  if (!IsDone(change)) {
    UndoLastChange(invocation, host);
  }
  return true;
}

enum class Seen { kDone, kWaiting, kFailed };

Seen LookOnce(cli::Invocation& invocation, host::Host& host) {
  const std::optional<Change> change = config_change::LoadChange(host.files);
  if (IsDone(change)) {
    return Seen::kDone;
  }
  if (IsUnderTrial(change, host.clock)) {
    return Seen::kWaiting;
  }
  try {
    return TakeBackUnlessKept(invocation, host) ? Seen::kDone : Seen::kWaiting;
  } catch (const std::exception& error) {  // whatever it is: nobody else tries again
    invocation.streams.err << error.what() << std::endl;
    return Seen::kFailed;
  }
}

void Keep(cli::Invocation& invocation, host::Host& host) {
  const std::stop_token stop = host.signals.Interrupt();
  for (int failed = 0; failed < kTries;) {
    const Seen seen = LookOnce(invocation, host);
    failed += seen == Seen::kFailed ? 1 : 0;
    const bool done = seen == Seen::kDone;
    if (done || !host.clock.Sleep(seen == Seen::kFailed ? kNextTry : kLook, stop)) {
      return;
    }
  }
}

}  // namespace

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

cli::Command ConfigKeepCommand(host::Host& host) {
  cli::Command command = Documented(
      "keep", "Take back a change that is being tried, when its time is over", "config-keep");
  command.hidden = true;
  command.flags = ConfigLookFlags();
  command.flags.push_back(LockTimeoutFlag(kTimerPatience));
  command.run = [&host](cli::Invocation& invocation) { Keep(invocation, host); };
  return command;
}

}  // namespace kubeadm
