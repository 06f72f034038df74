// Command `kubeadm upgrade`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// UpgradeCommand and its children keep a reference to `host`, which outlives them.
cli::Command UpgradeCommand(host::Host& host);

}  // namespace kubeadm
