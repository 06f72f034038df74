// SPDX-License-Identifier: Apache-2.0
// Command lines of root's processes, by /proc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/files.h"

namespace host {

// FindCommandLine returns the command line of process `pid`, the program first. Any user may name a
// process "kubelet", so `pid` must come from the service manager (InitSystem::FindProcess). Returns
// std::nullopt if the process does not exist, or if its command line is longer than 1 MiB. Also
// returns std::nullopt if one of the process's user ids is not root's.
std::optional<std::vector<std::string>> FindCommandLine(const Files& files, int pid);

}  // namespace host
