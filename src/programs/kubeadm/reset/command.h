// `kubeadm reset`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command ResetCommand(host::Host& host);

}  // namespace kubeadm
