// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm fleet host-exec`: the container of a Job runs it to act on its host.
#include <ostream>

#include "base/error.h"
#include "fleet/on_host.h"
#include "host/namespaces.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"

namespace kubeadm {
namespace {

void HostExec(cli::Invocation& invocation, host::Host& host) {
  if (invocation.flags.args().empty()) {
    throw base::Error(base::Error::Kind::kUsage,
                      "name the command of kubeadm to run on the host, after --");
  }
  const int status = fleet::RunOnHost(host, invocation.flags.args());
  if (status != 0) {  // the program has reported the reason
    invocation.streams.out << std::flush;
    invocation.streams.err << std::flush;
    host::ExitAtOnce(status);
  }
}

}  // namespace

cli::Command FleetHostExecCommand(host::Host& host) {
  cli::Command command = Made({.name = "host-exec",
                               .summary = "Run a command of kubeadm on the host of this container",
                               .text = "fleet-host-exec",
                               .usage_args = "-- COMMAND…",
                               .max_args = cli::kAnyNumber,
                               .traced = false,
                               .run = HostExec},
                              host);
  command.hidden = true;
  return command;
}

}  // namespace kubeadm
