// SPDX-License-Identifier: Apache-2.0
// Receivers of a reset's messages.
#pragma once

#include <stop_token>
#include <string>

#include "base/show_line.h"

namespace reset {

// Receives whole lines during the run. Both functions must be set.
struct Notes {
  base::ShowLine say;
  base::ShowLine warn;
  std::stop_token stop = {};  // ends the waits of the run
};

}  // namespace reset
