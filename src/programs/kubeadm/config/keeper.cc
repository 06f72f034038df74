// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/config/keeper.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <string>

#include "base/error.h"
#include "base/wrap.h"
#include "config_change/trial.h"
#include "kubeadm/config/undo.h"
#include "kubeadm/config_look.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"

namespace kubeadm {
namespace {

using config_change::Change;
using std::chrono::seconds;

constexpr seconds kLook{1};
// The interval between attempts to roll back: the container runtime and the API server may need a
// while after a boot, and the network may be down for long.
constexpr seconds kFirstPause{5};
constexpr seconds kLongestPause{60};

// Waits for the command that applies. An incomplete change without a command that holds the lock
// was interrupted. Returns false if its trial has only begun.
bool TakeBackUnlessKept(const std::string& id, cli::Invocation& invocation, host::Host& host) {
  const NodeLock lock = LockNode(invocation, host, {.say = [&](const std::string& line) {
                                   invocation.streams.err << base::HangingIndent(line) << std::endl;
                                 }});
  const std::optional<Change> change = config_change::LoadTried(id, host.files);
  if (config_change::IsOnTrial(change, host.clock)) {
    return false;
  }
  if (change) {
    UndoLastChange(invocation, host);
    config_change::NoteTakenBack(host.files);
  }
  return true;
}

enum class Seen { kDone, kWaiting, kFailed };

Seen LookOnce(const std::string& id, cli::Invocation& invocation, host::Host& host) {
  try {
    const std::optional<Change> change = config_change::LoadTried(id, host.files);
    if (!change) {
      return Seen::kDone;
    }
    if (config_change::IsOnTrial(change, host.clock)) {
      return Seen::kWaiting;
    }
    return TakeBackUnlessKept(id, invocation, host) ? Seen::kDone : Seen::kWaiting;
  } catch (const base::Interrupted&) {
    return Seen::kWaiting;                 // the caller sees the stop
  } catch (const std::exception& error) {  // any exception: no other process would try again
    invocation.streams.err << base::HangingIndent(error.what()) << std::endl;
    return Seen::kFailed;
  }
}

void Keep(cli::Invocation& invocation, host::Host& host) {
  const std::stop_token stop = host.signals.Interrupt();
  seconds pause = kFirstPause;
  const std::string& id = invocation.flags.Text("change");
  try {
    config_change::ReportAlive(id, host.files);
  } catch (const std::exception& error) {  // after a boot no command waits for it
    invocation.streams.err << error.what() << std::endl;
  }
  Seen seen = LookOnce(id, invocation, host);
  while (seen != Seen::kDone) {
    const bool failed = seen == Seen::kFailed;
    if (!host.clock.Sleep(failed ? pause : kLook, stop)) {
      return;
    }
    pause = failed ? std::min(2 * pause, kLongestPause) : kFirstPause;
    seen = LookOnce(id, invocation, host);
  }
}

}  // namespace

cli::Command ConfigKeepCommand(host::Host& host) {
  cli::Command command = Documented(
      "keep", "Take back a change that is being tried, when its time is over", "config-keep");
  command.hidden = true;
  command.flags = ConfigLookFlags();
  command.flags.push_back(LockTimeoutFlag(kTimerPatience));
  command.flags.push_back(
      {.name = "change", .help = "The id of the change, in /var/lib/slipway/config-change.json"});
  command.run = [&host](cli::Invocation& invocation) { Keep(invocation, host); };
  return command;
}

}  // namespace kubeadm
