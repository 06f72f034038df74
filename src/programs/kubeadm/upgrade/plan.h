// The command `kubeadm upgrade plan`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command UpgradePlanCommand(host::Host& host);

}  // namespace kubeadm
