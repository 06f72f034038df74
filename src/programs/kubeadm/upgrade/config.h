// SPDX-License-Identifier: Apache-2.0
// What all commands of `kubeadm upgrade` read off flags and configuration alike (reference:
// config-api.md §3.6, §7; upgrade-reset.md §3).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/flags.h"
#include "config/types.h"
#include "host/host.h"
#include "kube/client.h"

namespace kubeadm {

// LoadUpgradeConfig reads the UpgradeConfiguration of --config, or gives the defaults. Flags that
// must not stand beside it are refused first. Throws base::Error.
config::UpgradeConfiguration LoadUpgradeConfig(const cli::Parsed& flags, const host::Host& host);
// ReadUpgradeConfig refuses no flags: beside a phase that is run alone they count, and win.
config::UpgradeConfiguration ReadUpgradeConfig(const cli::Parsed& flags, const host::Host& host);

// How a whole dry run ends.
inline constexpr const char* kDryRunEnd =
    "[upgrade/successful] Finished dryrunning successfully! Nothing was changed";

// SuccessLine says that this node's control plane runs a version; scripts match it
// (docs/interfaces.md).
std::string SuccessLine(const std::string& version);

// Chosen is the flag when the command line set it, else the configured value; a switch that is set
// nowhere is off, whatever the flag's default.
bool Chosen(const cli::Parsed& flags, std::string_view name, std::optional<bool> configured);

// ChosenVersion is the argument when there is exactly one, else the configured version; "" for
// neither.
std::string ChosenVersion(const cli::Parsed& flags, const std::string& configured);

// UpgradeTransport talks to the cluster of a kubeconfig. Throws base::Error naming the file.
std::shared_ptr<kube::Transport> UpgradeTransport(const std::string& kubeconfig,
                                                  const host::Host& host);

}  // namespace kubeadm
