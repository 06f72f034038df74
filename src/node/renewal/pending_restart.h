// SPDX-License-Identifier: Apache-2.0
// The renewed certificates that running static Pods do not use yet. A run that is killed between
// renewal and restart leaves them on disk, and the next run with restarts completes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"

namespace renewal {

inline constexpr std::string_view kPendingRestartFile = "/var/lib/slipway/certs-renew-restart.json";

// Returns the names of the certificates; an empty list if the file does not exist. Throws
// base::Error(kInvalid), naming the file, for other content.
std::vector<std::string> LoadPendingRestart(const host::Files& files);

// Saves the names; removes the file for an empty list.
void SavePendingRestart(host::Files& files, const std::vector<std::string>& certificates);

}  // namespace renewal
