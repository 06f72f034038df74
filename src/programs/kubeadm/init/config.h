// SPDX-License-Identifier: Apache-2.0
// Converts the command line of `kubeadm init` to the data of its phases.
#pragma once

#include <set>
#include <string>

#include "cli/flags.h"
#include "config/types.h"
#include "steps/init/data.h"
#include "workflow/plan.h"

namespace kubeadm {

// The configuration, and the options in its file's extension.
struct LoadedInit {
  config::Init config;
  std::optional<addons::ApproverProgram> approver;
  std::optional<addons::FleetImages> fleet;
  join_secrets::JoinTokens join_tokens = join_secrets::JoinTokens::kAll;
};

// Reads --config or the flags. Throws base::Error: kUsage for an invalid flag or combination of
// flags, kInvalid for an invalid configuration. If only bound tokens are allowed, leaves out the
// random token of the defaults, because no node could join with it.
LoadedInit LoadInitConfig(const cli::Parsed& flags, host::Host& host);

// Returns the preflight checks whose errors count as warnings, in lower case.
std::set<std::string> IgnoredChecks(const cli::Parsed& flags, const LoadedInit& loaded);

// ReadInitOptions and ReadNodeOptions read the remaining flags.
init_steps::InitOptions ReadInitOptions(const cli::Parsed& flags, const LoadedInit& loaded);
node_steps::NodeOptions ReadNodeOptions(const cli::Parsed& flags, const config::Init& config);

// Makes addons and phases consistent. If an addon's phase is skipped, marks the addon as disabled
// in the stored configuration. If an addon is disabled, skips its phase.
void ReconcileAddons(config::ClusterConfiguration& cluster, workflow::Selection& selection);

}  // namespace kubeadm
