// SPDX-License-Identifier: Apache-2.0
// Renaming of files and directories.
#pragma once

#include "host/files.h"

namespace host {

// Renames `from` to `to` in the same file system, and replaces an existing `to` as rename(2) does.
// Throws base::Error(kOther).
void Rename(const Files& files, const fs::path& from, const fs::path& to);

// Atomically exchanges two paths of one file system (renameat2(2)). Returns false, without any
// change, if the file system does not support an exchange. Throws base::Error with the kind of the
// system's error for every other failure.
bool Exchange(const Files& files, const fs::path& a, const fs::path& b);

}  // namespace host
