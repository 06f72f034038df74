// SPDX-License-Identifier: Apache-2.0
// Which way leads over several minor versions: `upgrade plan --path`, and what `upgrade apply
// --path` asks like it.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/flags.h"
#include "host/host.h"
#include "kube/client.h"
#include "upgrade_path/find.h"

namespace kubeadm {

// PathFlags are --path and what goes with it alone.
std::vector<cli::Flag> PathFlags();

// WantsPath tells whether --path is given. Throws base::Error(kUsage) for a flag that goes with it
// alone, and for two ways to one kubelet.
bool WantsPath(const cli::Parsed& flags);

// ShowPath is `upgrade plan --path`.
void ShowPath(cli::Invocation& invocation, host::Host& host);

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
