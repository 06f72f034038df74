// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/node_lock.h"

#include "kubeadm/command_line.h"

namespace kubeadm {

cli::Flag LockTimeoutFlag(const char* default_text) {
  return {.name = kLockTimeout,
          .type = cli::FlagType::kDuration,
          .default_text = default_text,
          .help = "How long to wait for another command that is changing this node",
          .beyond_upstream = true};
}

NodeLock LockNode(const cli::Invocation& invocation, host::Host& host, const LockRequest& request) {
  const cli::Parsed& flags = invocation.flags;
  if (!flags.Offers(kLockTimeout)) {
    return {};
  }
  return engine::LockNode(host, {.command = invocation.path,
                                 .timeout = request.patience && !flags.Changed(kLockTimeout)
                                                ? *request.patience
                                                : flags.Duration(kLockTimeout),
                                 .directories = request.directories,
                                 .say = request.say,
                                 .stop = host.signals.Interrupt()});
}

NodeLock LockToAct(const cli::Invocation& invocation, host::Host& host,
                   const LockRequest& request) {
  NodeLock lock;
  WorldBy(invocation.flags, host)->Do({.on_machine = [&] {
    lock = LockNode(invocation, host, request);
  }});
  return lock;
}

}  // namespace kubeadm
