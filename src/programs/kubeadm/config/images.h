// `kubeadm config images …`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command ImagesCommand(host::Host& host);

}  // namespace kubeadm
