// SPDX-License-Identifier: Apache-2.0
// UTF-8 (RFC 3629), one code point at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace base {

struct DecodedCodePoint {
  char32_t code_point;
  std::size_t length;  // bytes
};

// Decodes the first code point of a string. Returns std::nullopt if the string is empty or its
// first code point is not well formed (overlong, surrogate, above U+10FFFF, truncated).
std::optional<DecodedCodePoint> DecodeUtf8(std::string_view text);

// Returns the UTF-8 form of a code point.
std::string EncodeUtf8(char32_t code_point);

// Returns true for visible code points: letters, marks, numbers, punctuation, symbols and the ASCII
// space, like Go's strconv.IsPrint. Unlike strconv.IsPrint, also returns true for unassigned code
// points. Direction controls, line and paragraph separators, zero-width marks and other blanks are
// not visible.
bool IsPrint(char32_t code_point);

// Escapes every code point for which IsPrint is false, and every byte that is not UTF-8, as Go's %q
// does (\n, \x7f, \u202e). Does not escape the characters in `kept`. Intended for untrusted strings
// in logs and messages: an escaped string can neither forge a line nor reverse the direction of
// text.
std::string Visible(std::string_view text, std::string_view kept = "");

}  // namespace base
