// SPDX-License-Identifier: Apache-2.0
// Converts flags and configuration to the data of one run of `upgrade apply` or `upgrade node`.
#pragma once

#include <memory>
#include <string>

#include "cli/command.h"
#include "config/types.h"
#include "kubeadm/upgrade/phases.h"

namespace kubeadm {

// Returns the target version of apply: the argument, otherwise the configured version. Resolves
// version labels. Throws base::Error(kUsage) without either.
std::string WantedVersion(const cli::Parsed& flags, const std::string& configured,
                          host::Host& host);

// Requires --yes or --force for `upgrade apply --output json`, because this command cannot ask a
// question. Throws base::Error(kUsage) without these flags.
void RequireUpgradeConsentByFlags(const cli::Parsed& flags, const config::UpgradeApply& apply);

// Returns the data of a run. `invocation` and `world` must outlive the data. For `apply`, the
// caller sets wanted_version.
std::unique_ptr<UpgradeData> PrepareUpgrade(cli::Invocation& invocation,
                                            UpgradeData::Command command,
                                            const config::UpgradeConfiguration& upgrade,
                                            steps::World& world);

}  // namespace kubeadm
