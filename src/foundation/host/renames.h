// SPDX-License-Identifier: Apache-2.0
// Files and directories that get other names.
#pragma once

#include "host/files.h"

namespace host {

// Rename gives `from` the name `to`, in the same file system; what had it is replaced as rename(2)
// says. Throws base::Error.
void Rename(const Files& files, const fs::path& from, const fs::path& to);

// Exchange gives each of two paths of one file system what the other names, in one step
// (renameat2(2)). False, and nothing is done, where the file system cannot. Throws base::Error for
// every other failure.
bool Exchange(const Files& files, const fs::path& a, const fs::path& b);

}  // namespace host
