// SPDX-License-Identifier: Apache-2.0
// Colours of log lines.
#pragma once

namespace base {

// Colours the head of log lines by their severity, or not. Off by default.
void SetLogColors(bool on);

}  // namespace base
