// `kubeadm certs generate-csr`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command GenerateCsrCommand(host::Host& host);

}  // namespace kubeadm
