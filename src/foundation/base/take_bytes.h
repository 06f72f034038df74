// SPDX-License-Identifier: Apache-2.0
// What comes piece by piece.
#pragma once

#include <functional>
#include <string_view>

namespace base {

// TakeBytes gets the next piece of something; the bytes are there for the call only.
using TakeBytes = std::function<void(std::string_view bytes)>;

}  // namespace base
