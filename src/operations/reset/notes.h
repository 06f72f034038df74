// SPDX-License-Identifier: Apache-2.0
// Receivers of a reset's messages.
#pragma once

#include <stop_token>
#include <string>

#include "base/show_line.h"

namespace reset {

// They receive whole lines during the run; both functions must be set.
struct Notes {
  base::ShowLine say;
  base::ShowLine warn;
  std::stop_token stop = {};  // of the run: waits end when it is requested
};

}  // namespace reset
