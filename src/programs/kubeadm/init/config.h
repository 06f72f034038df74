// SPDX-License-Identifier: Apache-2.0
// From the command line of `kubeadm init` to the data of its phases.
#pragma once

#include <set>
#include <string>

#include "cli/flags.h"
#include "config/types.h"
#include "init_steps/data.h"
#include "workflow/plan.h"

namespace kubeadm {

// LoadedInit is the configuration, and what the extension of its file asks for.
struct LoadedInit {
  config::Init config;
  std::optional<addons::ApproverProgram> approver;
};

// LoadInitConfig reads --config or the flags. Throws base::Error for a wrong flag, a combination
// that is not allowed, or an invalid configuration.
LoadedInit LoadInitConfig(const cli::Parsed& flags, host::Host& host);

// IgnoredChecks are the preflight checks whose errors count as warnings, in lower case.
std::set<std::string> IgnoredChecks(const cli::Parsed& flags, const LoadedInit& loaded);

// ReadInitOptions and ReadNodeOptions are the rest of the flags.
init_steps::InitOptions ReadInitOptions(const cli::Parsed& flags, const LoadedInit& loaded);
node_steps::NodeOptions ReadNodeOptions(const cli::Parsed& flags, const config::Init& config);

// ReconcileAddons: a phase of an addon that is skipped marks it as disabled in the configuration
// that the cluster keeps, and a disabled addon's phase is skipped.
void ReconcileAddons(config::ClusterConfiguration& cluster, workflow::Selection& selection);

}  // namespace kubeadm
