// `kubeadm config …`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command ConfigCommand(host::Host& host);

}  // namespace kubeadm
