// `kubeadm init`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command InitCommand(host::Host& host);

}  // namespace kubeadm
