// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm config confirm` and `undo`: the end of a change of the configuration.
#include "config_change/undo.h"

#include <ostream>

#include "base/error.h"
#include "config_change/settings.h"
#include "config_change/trial.h"
#include "kubeadm/commands.h"
#include "kubeadm/config/undo.h"
#include "kubeadm/config_look.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/terminal.h"

namespace kubeadm {
namespace {

using base::Error;
using config_change::Change;

base::ShowLine Say(cli::Invocation& invocation) { return SayAs("config", invocation); }

}  // namespace

cli::Command ConfigConfirmCommand(host::Host& host) {
  cli::Command command =
      Documented("confirm", "Keep a change that is being tried", "config-confirm");
  command.beyond_upstream = true;
  command.flags = {LockTimeoutFlag(kRunPatience)};
  command.run = [&host](cli::Invocation& invocation) {
    const NodeLock lock = LockNode(invocation, host, ConfigLock(host, Say(invocation)));
    config_change::Confirm(host);
    Say(invocation)("Confirmed. 'kubeadm config undo' takes it back on this node");
  };
  return command;
}

void UndoLastChange(cli::Invocation& invocation, host::Host& host) {
  const std::optional<Change> change = config_change::LoadChange(host.files);
  if (!change) {
    config_change::StopKeeper(host);
    throw Error(Error::Kind::kNotFound,
                "there is no change of this node's configuration to take back");
  }
  Look look(invocation.flags, host);
  const config::Init before = config_change::Complete(change->before, change->node, look.Facts());
  config_change::Undo(*change, look.Engine(before, Say(invocation)));
  Say(invocation)("The change is taken back");
}

cli::Command ConfigUndoCommand(host::Host& host) {
  cli::Command command =
      Documented("undo", "Take back the last change of this node's configuration", "config-undo");
  command.beyond_upstream = true;
  command.flags = ConfigLookFlags();
  command.flags.push_back(LockTimeoutFlag(kRunPatience));
  command.run = [&host](cli::Invocation& invocation) {
    const NodeLock lock = LockNode(invocation, host, ConfigLock(host, Say(invocation)));
    if (!config_change::LoadChange(host.files) && config_change::TellsOfTakingBack(host.files)) {
      Say(invocation)("The change was taken back already, by the end of its trial");
      return;
    }
    UndoLastChange(invocation, host);
  };
  return command;
}

}  // namespace kubeadm
