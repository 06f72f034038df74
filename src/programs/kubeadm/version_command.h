// `kubeadm version`.
#pragma once

#include "cli/command.h"

namespace kubeadm {

cli::Command VersionCommand();

}  // namespace kubeadm
