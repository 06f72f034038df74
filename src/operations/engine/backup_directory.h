// SPDX-License-Identifier: Apache-2.0
// Directories below /etc/kubernetes/tmp for copies of files that a command replaces (reference:
// upgrade-reset.md §5).
#pragma once

#include <string_view>

#include "host/host.h"

namespace engine {

// Creates "/etc/kubernetes/tmp/KIND-YYYY-MM-DD-hh-mm-ss" (local time) with mode 0700. Removes the
// partial files that killed runs left in earlier backup directories. If the directory exists, waits
// for the next second.
host::fs::path MakeBackupDirectory(host::Host& host, std::string_view kind);

// Copies the file into the directory under its own name, with mode 0600.
void CopyToBackup(host::Files& files, const host::fs::path& file, const host::fs::path& directory);

}  // namespace engine
