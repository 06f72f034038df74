// SPDX-License-Identifier: Apache-2.0
// Moving the whole process into another root directory (`--rootfs`).
#pragma once

#include <string>

namespace host {

// Makes `path` the root of this process and of its children, permanently (chroot(2)). Throws
// base::Error naming the path: kInvalid if it is not a directory, kForbidden if the caller lacks
// the permission.
void ChangeRoot(const std::string& path);

}  // namespace host
