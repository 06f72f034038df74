// `kubeadm doctor`: what is wrong with this node or its cluster, the cause first.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command DoctorCommand(host::Host& host);

}  // namespace kubeadm
