// SPDX-License-Identifier: Apache-2.0
// Strings that grow towards a limit, piece by piece.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

// Appends to a string. The caller ensures that the string grows to at most `limit` bytes. Once the
// string is large, the whole limit is reserved: untouched pages cost no memory, while growth by
// doubling holds the string twice during each move.
void AppendWithin(std::size_t limit, std::string& text, std::string_view more);

// Shrinks the capacity to the size, so that wiping the string touches only used bytes. Wipes the
// memory that it releases.
std::string Fitted(std::string text);

}  // namespace base
