// SPDX-License-Identifier: Apache-2.0
// Telling whoever watches a run what is going on.
#pragma once

#include <functional>
#include <string>

namespace base {

// ShowLine gets one line or whole sentence for the user, without a line end. Where a contract says
// so it may be empty: then nobody watches.
using ShowLine = std::function<void(const std::string& line)>;

}  // namespace base
