// SPDX-License-Identifier: Apache-2.0
// What becomes of this process's memory when it crashes.
#pragma once

namespace host {

// ForbidCoreDumps keeps private keys and tokens out of core files, whatever core_pattern and limits
// say: the kernel dumps no memory of this process any more, and only who may trace every process
// (root) can read it. Children that run other programs are not affected.
void ForbidCoreDumps();

}  // namespace host
