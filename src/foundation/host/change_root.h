// SPDX-License-Identifier: Apache-2.0
// Moving the whole process into another root directory (`--rootfs`).
#pragma once

#include <string>

namespace host {

// ChangeRoot makes `path` the root of this process and of what it starts, for good (chroot(2)).
// Throws base::Error naming the path when it is not a directory or the caller may not do that.
void ChangeRoot(const std::string& path);

}  // namespace host
