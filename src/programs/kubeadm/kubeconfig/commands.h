// `kubeadm kubeconfig …`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command KubeconfigCommand(host::Host& host);

}  // namespace kubeadm
