// SPDX-License-Identifier: Apache-2.0
// The renewed certificates that running static Pods do not use yet. A file records them. If a run
// is killed between renewal and restart, the file remains, and the next run with restarts does the
// missing restarts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"

namespace renewal {

inline constexpr std::string_view kPendingRestartFile = "/var/lib/slipway/certs-renew-restart.json";

// Returns the names of the certificates; an empty list if the file does not exist. Throws
// base::Error(kInvalid), naming the file, if its content is malformed.
std::vector<std::string> LoadPendingRestart(const host::Files& files);

// Saves the names; removes the file for an empty list.
void SavePendingRestart(host::Files& files, const std::vector<std::string>& certificates);

}  // namespace renewal
