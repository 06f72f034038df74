// SPDX-License-Identifier: Apache-2.0
// Command lines of root's processes, by /proc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/files.h"

namespace host {

// FindCommandLine reads the command line of process `pid`, the program first. Any user may call a
// process "kubelet", so `pid` must come from what started the process (InitSystem::FindProcess).
// Returns std::nullopt when the process does not exist, one of its user ids is not root's, or its
// command line is longer than 1 MiB.
std::optional<std::vector<std::string>> FindCommandLine(const Files& files, int pid);

}  // namespace host
