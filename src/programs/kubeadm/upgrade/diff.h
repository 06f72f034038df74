// The command `kubeadm upgrade diff`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command UpgradeDiffCommand(host::Host& host);

}  // namespace kubeadm
