// SPDX-License-Identifier: Apache-2.0
// Tokens as a table for humans and as objects for programs (reference: output.md §3).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "config/types.h"
#include "json/fwd.h"

namespace tokens {

// Returns the list as text; "" without tokens. Lifetimes count from `now`.
std::string TokenTable(const std::vector<config::BootstrapToken>& tokens,
                       std::chrono::sys_seconds now);

// Returns the BootstrapToken of output.kubeadm.k8s.io/v1alpha3.
json::Ordered TokenObject(const config::BootstrapToken& token);

}  // namespace tokens
