// SPDX-License-Identifier: Apache-2.0
// What `upgrade plan --path` and `upgrade apply --path` ask alike: which way leads to a version.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "host/host.h"
#include "kube/client.h"
#include "upgrade_path/find.h"

namespace kubeadm {

// PathAnswer is the way, and the kubelets of --node-packages.
struct PathAnswer : upgrade_path::PathAnswer {
  std::vector<upgrade_path::KubeletProgram> programs;
};

// FindPath asks the cluster and this node. `configured` is the version that counts where no
// argument names one; "" for the newest that this kubeadm knows. Throws base::Error.
PathAnswer FindPath(const cli::Parsed& flags, const std::string& configured, host::Host& host,
                    kube::Client& client);

// ClientOfPath asks again for as long as a control plane that is being replaced may take.
kube::Client ClientOfPath(const cli::Parsed& flags, host::Host& host);

}  // namespace kubeadm
