// `kubeadm token create`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command TokenCreateCommand(host::Host& host);

}  // namespace kubeadm
