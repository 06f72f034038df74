// SPDX-License-Identifier: Apache-2.0
// Strings that grow towards a limit, piece by piece.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

// Appends to a string that grows to `limit` bytes at most, which the caller ensures. A string that
// is large already reserves the whole limit: untouched pages cost no memory, while growing by
// doubling holds the string twice during each move.
void AppendWithin(std::size_t limit, std::string& text, std::string_view more);

// Shrinks the capacity to the size, so that wiping the string touches only used bytes. Wipes the
// memory that it releases.
std::string Fitted(std::string text);

}  // namespace base
