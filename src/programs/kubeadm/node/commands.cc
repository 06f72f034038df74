// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/commands.h"

#include "kubeadm/documented.h"
#include "kubeadm/node/readdress.h"

namespace kubeadm {

cli::Command NodeCommand(host::Host& host) {
  cli::Command command =
      Group("node", "Repair this node in its cluster, or withdraw another", "node", [&host] {
        return std::vector<cli::Command>{NodeAdmitCommand(host),
                                         ConfirmCommand(ReaddressTrial(), host),
                                         KeepCommand(ReaddressTrial(), host),
                                         NodeReaddressCommand(host),
                                         NodeRecoverCommand(host),
                                         NodeRenameCommand(host),
                                         UndoCommand(ReaddressTrial(), host),
                                         NodeWithdrawCommand(host)};
      });
  command.beyond_upstream = true;
  return command;
}

}  // namespace kubeadm
