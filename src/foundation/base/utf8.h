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

// DecodeUtf8 reads the first code point of a text; nothing when it is not well formed
// (overlong, surrogate, above U+10FFFF, cut short, or an empty text).
std::optional<DecodedCodePoint> DecodeUtf8(std::string_view text);

// EncodeUtf8 is the UTF-8 form of a code point.
std::string EncodeUtf8(char32_t code_point);

// IsPrint is whether a code point can be seen: letters, marks, numbers, punctuation, symbols and
// the ASCII space, as Go's strconv.IsPrint has it, but for code points that no Unicode has assigned
// yet. Controls of direction, line and paragraph separators, marks without width and other blanks
// cannot.
bool IsPrint(char32_t code_point);

// Visible is a text with everything that IsPrint is not, and every byte that is not UTF-8, written
// as Go's %q writes it (\n, \x7f, \u202e); characters in `kept` stay. For texts of strangers in
// logs and messages: no line is forged and none reads backwards.
std::string Visible(std::string_view text, std::string_view kept = "");

}  // namespace base
