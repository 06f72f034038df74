// SPDX-License-Identifier: Apache-2.0
#include "host/core_dumps.h"

#include <sys/prctl.h>

namespace host {

// RLIMIT_CORE is not sufficient: the kernel ignores it if core_pattern is a pipe, and children
// inherit it.
void ForbidCoreDumps() { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

}  // namespace host
