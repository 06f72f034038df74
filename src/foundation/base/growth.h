// SPDX-License-Identifier: Apache-2.0
// Strings that grow towards a limit, piece by piece.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

// Appends to a string. The caller ensures that the string grows to at most `limit` bytes. Once the
// string is large, reserves the whole limit. Untouched pages cost no memory, whereas growth by
// doubling keeps two copies of the string during each move.
void AppendWithin(std::size_t limit, std::string& text, std::string_view more);

// Shrinks the string's capacity to its size, so that wiping the string touches only used bytes.
// Wipes the released memory.
std::string Fitted(std::string text);

}  // namespace base
