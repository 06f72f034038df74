// Commands that this version of Slipway does not have yet.
#pragma once

#include <string>

#include "cli/command.h"

namespace kubeadm {

// NotBuilt is the command with that path below kubeadm ("token list"). It takes any words and fails
// with a sentence that says so and what to use meanwhile.
cli::Command NotBuilt(const std::string& path, std::string summary);

}  // namespace kubeadm
