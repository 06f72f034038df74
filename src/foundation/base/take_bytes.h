// SPDX-License-Identifier: Apache-2.0
// Data in pieces.
#pragma once

#include <functional>
#include <string_view>

namespace base {

// Receives the next piece of the data; the bytes are valid during the call only.
using TakeBytes = std::function<void(std::string_view bytes)>;

}  // namespace base
