// `kubeadm certs auto-renew …`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command AutoRenewCommand(host::Host& host);

}  // namespace kubeadm
