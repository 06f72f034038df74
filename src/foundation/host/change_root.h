// SPDX-License-Identifier: Apache-2.0
// Moving the whole process into another root directory (`--rootfs`).
#pragma once

#include <string>

namespace host {

// Permanently makes `path` the root directory of this process and its children (chroot(2)). Throws
// base::Error naming the path: kInvalid if it is not a directory, kForbidden if the caller lacks
// the permission.
void ChangeRoot(const std::string& path);

}  // namespace host
