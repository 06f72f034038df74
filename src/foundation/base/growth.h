// SPDX-License-Identifier: Apache-2.0
// Texts that grow towards a limit, piece by piece.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

// AppendWithin appends to a text that grows to `limit` bytes at most, which the caller has seen to.
// One that is large already gets room for all of it at once: pages that nothing is written to cost
// no memory, while growing by doubling holds the text twice whenever it moves.
void AppendWithin(std::size_t limit, std::string& text, std::string_view more);

// Fitted is a text without room that it does not need: whoever wipes it writes to all of that. What
// it leaves behind is wiped.
std::string Fitted(std::string text);

}  // namespace base
