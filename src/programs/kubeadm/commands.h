// The commands right below `kubeadm`. `host` outlives them.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command CertsCommand(host::Host& host);
cli::Command ConfigCommand(host::Host& host);
// DoctorCommand: what is wrong with this node or its cluster, the cause first.
cli::Command DoctorCommand(host::Host& host);
// EventsCommand: what to do with the events that runs print (docs/events.md).
cli::Command EventsCommand(host::Host& host);
cli::Command KubeconfigCommand(host::Host& host);
cli::Command ResetCommand(host::Host& host);
cli::Command TokenCommand(host::Host& host);
cli::Command VersionCommand();

}  // namespace kubeadm
