// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm fleet …`.
#include "kubeadm/commands.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "kubeadm/documented.h"
#include "kubeadm/fleet/shared.h"

namespace kubeadm {

cli::Command FleetCommand(host::Host& host) {
  cli::Command command = Group("fleet", "Operations on all nodes of the cluster", "fleet", [&host] {
    std::vector<cli::Command> commands = FleetObjectCommands(host);
    commands.push_back(FleetHostExecCommand(host));
    commands.push_back(FleetHostRebootCommand(host));
    commands.push_back(FleetRunCommand(host));
    std::ranges::move(FleetWatchCommands(host), std::back_inserter(commands));
    std::ranges::sort(commands, {}, &cli::Command::name);
    return commands;
  });
  command.beyond_upstream = true;
  return command;
}

}  // namespace kubeadm
