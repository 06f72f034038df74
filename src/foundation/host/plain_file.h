// SPDX-License-Identifier: Apache-2.0
// Files that somebody names and that must be nothing but files.
#pragma once

#include <cstddef>
#include <filesystem>

#include "host/files.h"

namespace host {

inline constexpr std::size_t kLargestPlainFile = std::size_t{1} << 20;  // in bytes

// RequirePlainFile throws base::Error(kInvalid) for what reading could wait for for ever or could
// not hold: a pipe, a device, a directory, a file of more than `largest` bytes. Links are followed.
// It says nothing of what is not there or must not be read: reading does.
void RequirePlainFile(const Files& files, const fs::path& path,
                      std::size_t largest = kLargestPlainFile);

}  // namespace host
