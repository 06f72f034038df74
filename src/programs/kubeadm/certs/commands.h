// `kubeadm certs …`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command CertsCommand(host::Host& host);

}  // namespace kubeadm
