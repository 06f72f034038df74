// SPDX-License-Identifier: Apache-2.0
// Protection of this process's memory after a crash.
#pragma once

namespace host {

// Keeps private keys and tokens out of core files, whatever core_pattern and limits say. From then
// on the kernel dumps no memory of this process. Only processes that may trace every process
// (root's) can read the memory. Children that run other programs are not affected.
void ForbidCoreDumps();

}  // namespace host
