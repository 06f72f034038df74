// SPDX-License-Identifier: Apache-2.0
// Progress messages of a run.
#pragma once

#include <functional>
#include <string>

namespace base {

// Receives one line or whole sentence for the user, without a line end. An empty function is
// allowed only where a contract says so; then nothing is printed.
using ShowLine = std::function<void(const std::string& line)>;

}  // namespace base
