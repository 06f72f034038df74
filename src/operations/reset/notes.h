// SPDX-License-Identifier: Apache-2.0
// Who hears what a reset does.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace reset {

// Notes get whole lines on the way; both functions must be set.
struct Notes {
  std::function<void(const std::string& line)> say;
  std::function<void(const std::string& text)> warn;
  std::stop_token stop = {};  // of the run: waits end when it is requested
};

}  // namespace reset
