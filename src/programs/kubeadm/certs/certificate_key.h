// `kubeadm certs certificate-key`.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command CertificateKeyCommand(host::Host& host);

}  // namespace kubeadm
