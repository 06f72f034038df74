// `kubeadm join`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command JoinCommand(host::Host& host);

}  // namespace kubeadm
