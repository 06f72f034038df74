// Commands `kubeadm upgrade apply`, `kubeadm upgrade node` and `kubeadm upgrade rollback`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command UpgradeApplyCommand(host::Host& host);
cli::Command UpgradeNodeCommand(host::Host& host);
// UpgradeRollbackCommand undoes what the last upgrade has done to this node, from its backups.
cli::Command UpgradeRollbackCommand(host::Host& host);

}  // namespace kubeadm
