// SPDX-License-Identifier: Apache-2.0
// Colours of log lines.
#pragma once

namespace base {

// Selects whether the head of log lines is coloured by severity. Off by default.
void SetLogColors(bool on);

}  // namespace base
