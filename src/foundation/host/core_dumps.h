// SPDX-License-Identifier: Apache-2.0
// Protection of this process's memory after a crash.
#pragma once

namespace host {

// Keeps private keys and tokens out of core files, whatever core_pattern and limits say: the kernel
// dumps no memory of this process any more, and only processes that may trace every process
// (root's) can read it. Children that run other programs are not affected.
void ForbidCoreDumps();

}  // namespace host
