// `kubeadm certs renew …`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command RenewCommand(host::Host& host);

}  // namespace kubeadm
