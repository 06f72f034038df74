// `kubeadm certs rotate-ca`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command RotateCaCommand(host::Host& host);

}  // namespace kubeadm
