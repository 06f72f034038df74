// SPDX-License-Identifier: Apache-2.0
// Whether log lines are coloured.
#pragma once

namespace base {

// SetLogColors colours the head of log lines by their severity, or not, which is so at the start.
void SetLogColors(bool on);

}  // namespace base
