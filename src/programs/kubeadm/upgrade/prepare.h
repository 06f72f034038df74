// SPDX-License-Identifier: Apache-2.0
// From flags and configuration to the data of one run of `upgrade apply` or `upgrade node`.
#pragma once

#include <memory>
#include <string>

#include "cli/command.h"
#include "config/types.h"
#include "kubeadm/upgrade/phases.h"

namespace kubeadm {

// WantedVersion is the version that apply is to reach: an argument, else the configured one; labels
// are resolved. Throws base::Error(kUsage) when there is neither.
std::string WantedVersion(const cli::Parsed& flags, const std::string& configured,
                          host::Host& host);

// PrepareUpgrade: `invocation` and `world` must outlive the data. apply's wanted_version is left to
// the caller.
std::unique_ptr<UpgradeData> PrepareUpgrade(cli::Invocation& invocation,
                                            UpgradeData::Command command,
                                            const config::UpgradeConfiguration& upgrade,
                                            world::World& world);

}  // namespace kubeadm
