// SPDX-License-Identifier: Apache-2.0
// User-named paths that must be ordinary files.
#pragma once

#include <cstddef>
#include <filesystem>

#include "host/files.h"

namespace host {

inline constexpr std::size_t kLargestPlainFile = std::size_t{1} << 20;  // in bytes

// Throws base::Error(kInvalid) for a path whose read could block forever or exhaust the memory: a
// pipe, a device, a directory, or a file of more than `largest` bytes. Follows links. Ignores
// missing and unreadable files, because the later read reports their error.
void RequirePlainFile(const Files& files, const fs::path& path,
                      std::size_t largest = kLargestPlainFile);

}  // namespace host
