#include "kubeadm/upgrade/command.h"

#include "kubeadm/documented.h"
#include "kubeadm/upgrade/diff.h"
#include "kubeadm/upgrade/plan.h"
#include "kubeadm/upgrade/run.h"

namespace kubeadm {

cli::Command UpgradeCommand(host::Host& host) {
  cli::Command command = Documented("upgrade", "Upgrade a cluster to a newer version", "upgrade");
  command.run = cli::RequireSubcommand;
  command.children = [&host] {
    return std::vector<cli::Command>{
        UpgradeApplyCommand(host), UpgradeDiffCommand(host),     UpgradeNodeCommand(host),
        UpgradePlanCommand(host),  UpgradeRollbackCommand(host),
    };
  };
  return command;
}

}  // namespace kubeadm
