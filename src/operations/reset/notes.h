// SPDX-License-Identifier: Apache-2.0
// Who hears what a reset does.
#pragma once

#include <stop_token>
#include <string>

#include "base/show_line.h"

namespace reset {

// Notes get whole lines on the way; both functions must be set.
struct Notes {
  base::ShowLine say;
  base::ShowLine warn;
  std::stop_token stop = {};  // of the run: waits end when it is requested
};

}  // namespace reset
