// SPDX-License-Identifier: Apache-2.0
// Values that all commands of `kubeadm upgrade` read from flags and configuration in the same way
// (reference: config-api.md §3.6, §7; upgrade-reset.md §3).
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

// Reads the UpgradeConfiguration of --config, or returns the defaults. First refuses flags that
// must not be combined with --config. Throws base::Error: kUsage for the flags, kNotFound or
// kInvalid for the file.
config::UpgradeConfiguration LoadUpgradeConfig(const cli::Parsed& flags, const host::Host& host);
// Like LoadUpgradeConfig, but refuses no flags, because flags of a single phase override the file.
config::UpgradeConfiguration ReadUpgradeConfig(const cli::Parsed& flags, const host::Host& host);

// The last line of a whole dry run.
inline constexpr const char* kDryRunEnd =
    "[upgrade/successful] Finished dryrunning successfully! Nothing was changed";

// Returns the line that reports the new version of this node's control plane; scripts match this
// line (docs/interfaces.md).
std::string SuccessLine(const std::string& version);

// Returns the value of the flag if the user has set it, otherwise the configured value. If neither
// is set, returns false, whatever the default of the flag is.
bool Chosen(const cli::Parsed& flags, std::string_view name, std::optional<bool> configured);

// Returns the command's argument if there is exactly one, otherwise the configured version; "" if
// neither is given.
std::string ChosenVersion(const cli::Parsed& flags, const std::string& configured);

// Connects to the cluster of a kubeconfig. Throws base::Error(kNotFound or kInvalid) naming the
// file.
std::shared_ptr<kube::Transport> UpgradeTransport(const std::string& kubeconfig,
                                                  const host::Host& host);

}  // namespace kubeadm
