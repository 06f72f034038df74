// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm fleet host-reboot`: the work of an operation that restarts hosts.
#include "fleet/host_reboot.h"

#include "base/error.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/terminal.h"

namespace kubeadm {
namespace {

void HostReboot(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const std::string& id = flags.Text("id");
  if (id.empty()) {
    throw base::Error(base::Error::Kind::kUsage,
                      "--id is required: a repeated request to restart has the same id");
  }
  const base::ShowLine say = SayAs("fleet", invocation);
  const NodeLock lock = LockNode(invocation, host, {.directories = {}, .say = say});
  fleet::RebootOnce(host, {.id = id, .if_required = flags.Bool("if-required")}, say);
}

}  // namespace

cli::Command FleetHostRebootCommand(host::Host& host) {
  cli::Command command =
      Made({.name = "host-reboot",
            .summary = "Restart this host once for each id",
            .text = "fleet-host-reboot",
            .flags = {{.name = "id",
                       .help = "Identifies the request: a repeated request has the "
                               "same id"},
                      Switch("if-required", "Restart only if /var/run/reboot-required exists"),
                      LockTimeoutFlag(kRunPatience)},
            .run = HostReboot},
           host);
  command.hidden = true;
  return command;
}

}  // namespace kubeadm
