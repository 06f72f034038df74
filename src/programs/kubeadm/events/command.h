// `kubeadm events`: what to do with the events that runs print (docs/events.md).
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command EventsCommand(host::Host& host);

}  // namespace kubeadm
