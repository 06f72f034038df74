// `kubeadm token list`.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/command.h"
#include "config/types.h"
#include "host/host.h"
#include "json/value.h"

namespace kubeadm {

cli::Command TokenListCommand(host::Host& host);

// TokenTable is the list as text; "" when there are no tokens.
std::string TokenTable(const std::vector<config::BootstrapToken>& tokens,
                       std::chrono::sys_seconds now);

// TokenObject is the BootstrapToken of output.kubeadm.k8s.io/v1alpha3 (reference: output.md §3).
json::Ordered TokenObject(const config::BootstrapToken& token);

}  // namespace kubeadm
