// `kubeadm token …`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command TokenCommand(host::Host& host);

}  // namespace kubeadm
