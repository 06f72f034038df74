// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"

namespace kubeadm {

cli::Command UpgradeCommand(host::Host& host) {
  return Group("upgrade", "Upgrade a cluster to a newer version", "upgrade", [&host] {
    return std::vector<cli::Command>{
        UpgradeApplyCommand(host), UpgradeCommitCommand(host), UpgradeDiffCommand(host),
        UpgradeNodeCommand(host),  UpgradePlanCommand(host),   UpgradeRollbackCommand(host),
    };
  });
}

}  // namespace kubeadm
